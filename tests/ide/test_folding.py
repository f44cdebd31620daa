"""Folds: bodies keep the closing brace in sight; comments, directives and foreign code fold as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqls.ide.folding import FoldKind, folds
from croqls.ide.snapshot import Snapshot

# Line numbers are part of the test: each line of the text stands for itself.
KERNEL = """// first
// second

#include "a.h"
#define A 1
#define LONG \\
  2
int x; // beside code
/* one
   two */
__device__ int f() {
  return 1;
}
__co__ void k(global s32 [8] x) {
  // alone
  parallel p by 8 : thread {
    if (p == 0) {
      x.at(p) = 1;
    } else {
      x.at(p) = 2;
    }
  }
}
"""


def found(text: str) -> list[tuple[int, int, str]]:
    return [(one.first, one.last, one.kind.value) for one in folds(Snapshot("file:///k.co", 1, text))]


def test_every_kind_of_fold_at_its_lines() -> None:
    assert found(KERNEL) == [
        (0, 1, "comment"),
        (3, 6, "imports"),
        (8, 9, "comment"),
        (10, 12, "code"),
        (13, 21, "code"),
        (15, 20, "code"),
        (16, 17, "code"),
        (18, 19, "code"),
    ]


def test_line_ends_of_windows_fold_alike() -> None:
    assert found(KERNEL.replace("\n", "\r\n")) == found(KERNEL)


def test_an_unfinished_body_folds_to_the_end() -> None:
    assert (13, 17, "code") in found(KERNEL[: KERNEL.index("    } else")].rstrip("\n"))


def test_dead_functions_fold() -> None:
    text = "#if 0\n__co__ void k(global s32 [8] x) {\n  x.at(0) = 1;\n}\n#endif\n"
    assert (1, 3, "code") in found(text)


@pytest.mark.parametrize("path", sorted(Path("examples").glob("*.co")), ids=lambda path: path.name)
def test_folds_of_the_examples_are_in_order_and_inside_the_text(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    snapshot = Snapshot("file:///k.co", 1, text)
    made = folds(snapshot)
    assert any(fold.kind is FoldKind.CODE for fold in made)
    assert [fold.first for fold in made] == sorted({fold.first for fold in made})
    assert all(0 <= fold.first < fold.last < text.count("\n") for fold in made)
