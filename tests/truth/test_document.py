"""Sections of a document are renewed between their marks, and nothing else is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.truth.document import write_section


def test_only_what_stands_between_the_marks_is_renewed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x -->\nold \\1\n<!-- /x -->\nb\n", encoding="utf-8")
    write_section(page, "x", "new \\1")
    assert page.read_text(encoding="utf-8") == "a\n<!-- x -->\nnew \\1\n<!-- /x -->\nb\n"


def test_a_document_without_the_section_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no section 'x'"):
        write_section(page, "x", "new")
