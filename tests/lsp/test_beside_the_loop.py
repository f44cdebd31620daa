"""What requests do in threads makes no types of the protocol: a thread would find one half finished (`late_types`)."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from croqc.service.files import demand_file
from croqc.text.source import Source
from croqls.lsp.requests.workspace_symbol import _found
from croqls.lsp.symbol_index import SymbolIndex

KERNEL = "__co__ void scaled(global f32 [N] x) { parallel p by N : thread x.at(p) = 2.0f; }\n"


def test_symbols_are_found_as_they_stand_in_the_text(tmp_path: Path) -> None:
    (tmp_path / "kept.co").write_text("\n" + KERNEL, encoding="utf-8")
    opened = {"file:///open.co": ("file:///open.co", KERNEL)}
    found = _found(SymbolIndex(), "scaled", [tmp_path], opened)
    assert [(uri, item.name, item.span.start) for uri, _, item in found] == [
        ("file:///open.co", "scaled", KERNEL.index("scaled")),
        ((tmp_path / "kept.co").as_uri(), "scaled", 1 + KERNEL.index("scaled")),
    ]
    assert all(type(source) is Source for _, source, _ in found)


def test_a_folder_that_cannot_be_entered_hides_its_own_files_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one of mode 0644, whose names can be listed."""
    for name in ("locked", "open"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "k.co").write_text(KERNEL, encoding="utf-8")
    state = os.stat

    def refused(path: object, *rest: object, **named: object) -> object:
        if "locked/" in str(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return state(path, *rest, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "stat", refused)
    assert list(SymbolIndex().files([tmp_path])) == [tmp_path / "open" / "k.co"]
    demand_file(tmp_path / "locked" / "k.co")  # who reads it says that it cannot be read
