"""Expanding a selection: from the word to the file, each step around the one before."""

from __future__ import annotations

from itertools import pairwise

import pytest

from croqls.ide.selection import selections
from croqls.ide.snapshot import Snapshot

KERNEL = """#define TILE 16
// about the kernel
__co__ void f(global s32 [8] x) {
  parallel p by 8 : thread {
    x.at(p) = p + TILE; // why
  }
}
"""


def chosen(at: str, after: int = 0, text: str = KERNEL) -> list[str]:
    found = selections(Snapshot("file:///k.co", 1, text), text.index(at) + after)
    return [text[span.start : span.end] for span in found]


def test_the_steps_around_a_word() -> None:
    body = "\n    x.at(p) = p + TILE; // why\n  "
    function = KERNEL[KERNEL.index("__co__") :].rstrip("\n")
    assert chosen("p + TILE") == [
        "p",
        "p + TILE",
        "x.at(p) = p + TILE",
        "x.at(p) = p + TILE;",
        body,
        "{" + body + "}",
        "parallel p by 8 : thread {" + body + "}",
        "\n  parallel p by 8 : thread {" + body + "}\n",
        "{\n  parallel p by 8 : thread {" + body + "}\n}",
        function,
        KERNEL,
    ]


def test_a_comment_is_the_first_step_in_a_comment() -> None:
    assert chosen("why")[0] == "// why"
    assert chosen("about") == ["// about the kernel", KERNEL]


def test_host_text_has_the_file_alone() -> None:
    assert chosen("#define") == [KERNEL]
    assert chosen("", text="") == [""]


@pytest.mark.parametrize("cut", range(0, len(KERNEL), 5))
def test_every_step_is_larger_and_around_the_one_before(cut: int) -> None:
    text = KERNEL[:cut] + KERNEL[cut + 3 :]
    for offset in range(0, len(text) + 1, 7):
        spans = selections(Snapshot("file:///k.co", 1, text), offset)
        assert all(b.start <= a.start and a.end <= b.end and a != b for a, b in pairwise(spans))
        assert spans[-1].start == 0
        assert spans[-1].end == len(text)
        assert all(span.touches(offset) for span in spans)
