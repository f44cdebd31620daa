"""The words of the note about a file's dialect (chapter 0, policy item 2)."""

import pytest

from croqc.rules.dialect_note import note
from croqc.text.diagnostics import Severity
from croqc.text.span import Span


@pytest.mark.parametrize(
    ("dialect", "count", "message"),
    [
        ("classic", 6, "written in the classic dialect; the current compiler rejects 6 forms here"),
        ("course", 1, "written in the course dialect; the current compiler rejects 1 form here"),
        ("course", 0, "written in the course dialect"),
        ("current", 2, "written in the current dialect; the current compiler rejects 2 forms here"),
    ],
)
def test_words(dialect: str, count: int, message: str) -> None:
    found = note(dialect, count, Span(7, 11))
    assert found is not None
    assert (found.code, found.severity, found.message) == ("dialect-note", Severity.INFORMATION, message)
    assert found.span == Span(7, 11)
    assert ("'croq migrate FILE'" in found.hint) is ("'Migrate this file'" in found.hint) is (count > 0)


@pytest.mark.parametrize("dialect", ["any", "current"])
def test_nothing_is_said_where_nothing_is_older(dialect: str) -> None:
    assert note(dialect, 0, Span(0, 0)) is None
