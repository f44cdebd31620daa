"""What a file declares, without an analysis, and which names a query means."""

from __future__ import annotations

import pytest

from croqls.ide.declared import declared, means

KERNEL = """#define TILE 16
#define MAKE shared s32 [4] made
__co__ void f(global s32 [N] x) {
  parallel p by 8 : block {
    shared event full[2], empty;
    shared s32 [4] a, b;
    MAKE;
  }
}
__co__ void g(global s32 [8] x) {
"""


def test_names_with_their_places_and_functions() -> None:
    found = declared(KERNEL)
    assert [(one.name, one.kind.value, one.container) for one in found] == [
        ("TILE", "macro", ""),
        ("MAKE", "macro", ""),
        ("f", "function", ""),
        ("full", "event", "f"),
        ("empty", "event", "f"),
        ("a", "buffer", "f"),
        ("b", "buffer", "f"),
        ("g", "function", ""),
    ]
    assert all(KERNEL[one.span.start : one.span.end] == one.name for one in found)


@pytest.mark.parametrize(
    ("query", "name", "wanted"),
    [("", "x", True), ("mtm", "matmul", True), ("MM", "matmul", True), ("lm", "matmul", False), ("f2", "f", False)],
)
def test_a_query_means_names_with_its_letters_in_order(query: str, name: str, wanted: bool) -> None:
    assert means(query, name) is wanted
