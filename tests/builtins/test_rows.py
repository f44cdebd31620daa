"""Every word that a person can point at has a row, and rows are complete."""

from __future__ import annotations

import pytest

from croqc.builtins import ROWS, completions, lookup
from croqc.builtins.row import Row
from croqc.syntax import keywords
from croqc.syntax.keywords import Highlight
from croqc.targets import TARGETS
from croqc.targets.table import Feature

CLASSES = (
    Highlight.OPERATION,
    Highlight.MEMBER,
    Highlight.BUILTIN,
    Highlight.CONTROL,
    Highlight.LEVEL,
    Highlight.STORAGE,
    Highlight.TYPE,
    Highlight.CONSTANT,
)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.name.lower())
def test_every_word_of_the_keyword_table_has_a_row(kind: Highlight) -> None:
    assert [word for word in sorted(keywords.of_class(kind)) if lookup(word) is None] == []


def test_every_operation_behind_its_word_has_a_row_of_that_word_or_of_the_dot() -> None:
    for first, words in keywords.OPERATIONS.items():
        for word in words:
            row = lookup(word, first)
            assert row is not None, (first, word)
            assert row.word in (f"{first}.{word}", f".{word}"), (first, word, row.word)


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.word)
def test_rows_are_complete_and_short(row: Row) -> None:
    assert all((row.signature, row.doc, row.example, row.chapter))
    assert 1 <= len(row.doc.splitlines()) <= 4
    assert row.doc.rstrip().endswith((".", ";"))
    assert row.name in row.signature or row.word.startswith(("__atomic", "tma.", ".", "mma"))
    assert any(row.needs <= target.features for target in TARGETS.values())


def test_context_decides_between_meanings() -> None:
    assert lookup("copy", "tma") is ROWS["tma.copy"]
    assert lookup("copy") is ROWS["copy"]
    assert lookup("load", "mma") is ROWS["mma.load"]
    assert lookup("async", "inthreads") is ROWS["inthreads.async"]
    assert lookup("async", "copy") is ROWS[".async"]
    assert lookup("at", "tile") is ROWS[".at"]
    assert lookup("shared", "sync") is ROWS["sync.shared"]
    assert lookup("shared") is ROWS["shared"]


def test_no_row_for_a_plain_name() -> None:
    assert lookup("stage_of_mine") is None
    assert lookup("") is None
    assert lookup("copy.async", "dma") is None


def test_features_of_operations() -> None:
    assert ROWS["tma.load"].needs == {Feature.TMA}
    assert ROWS["dma.copy"].needs == frozenset()
    assert ROWS["f4_e2m1"].needs == {Feature.NARROW}
    assert not ROWS["tma.copy"].needs <= TARGETS["sm_89"].features


def test_completions_after_a_word() -> None:
    assert [row.name for row in completions("dma")] == ["any", "copy", "pad", "transp"]
    assert {"fill", "load", "row", "col", "store", "scale", "commit"} <= {row.name for row in completions("mma")}
    assert [row.name for row in completions("sync")] == ["barrier", "fence", "global", "local", "shared"]
    assert completions("nothing") == ()
