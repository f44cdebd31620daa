"""Fixes of older forms: the text they make, that the finding goes, and that nothing else comes."""

import pytest

from croqc.service.check import FileReport, check_text
from croqc.service.settings import Settings
from croqc.text.diagnostics import Diagnostic
from croqc.text.edits import apply_edits

HEAD = "__co__ void f(global f16 [64, 64] x, global f16 [64, 64] y, global f32 [64, 64] z, stream st, int n) {\n"
TILES = "  shared f16 [64, 64] s, t;\n  dma.copy x => s;\n  dma.copy x => t;\n  c = mma.fill.f32 0.0f;\n"
KERNEL = "parallel b by 1 : block, g by 1 : group-4 {\n"


def check(text: str) -> FileReport:
    return check_text(text, Settings(dialect="current"))


def older(text: str) -> list[Diagnostic]:
    return [item for item in check(text).diagnostics if item.code == "older-form"]


@pytest.mark.parametrize(
    ("before", "after", "safe"),
    [
        ("v = x.subspan(4, 4).stride(2, 2).at(0, 0);", "v = x.subspan(4, 4).step(2, 2).at(0, 0);", True),
        ("fragment f32 [64] r;", "frag f32 [64] r;", True),
        ("h = dma.copy_async x => s; wait h;", "h = dma.copy.async x => s; wait h;", True),
        ("dma.copy swizzle(64) x => s;", "dma.copy.swiz<64> x => s;", True),
        ("tma.copy.swiz<0> x => s;", "tma.copy.swiz x => s;", True),
        ("tma.copy.evict_first x => s;", "tma.load.evict_first x => s;", False),
        ("mma.row.row.order<1, 0, 3, 2> c, s, t;", "[[schedule(k_tiles(1, 0, 3, 2))]] mma.row.row c, s, t;", True),
        ("a = mma.loadR s; mma.row.row c, a, t;", "a = mma.load.frag s; mma.row.row c, a, t;", True),
        ("k = stage<4>(n + 1);", "k = ((n + 1) % 4);", False),
        ("k = stage< 4 >(n);", "k = (n % 4);", False),
    ],
)
def test_a_statement_is_respelled(before: str, after: str, safe: bool) -> None:
    text, wanted = (HEAD + KERNEL + TILES + line + "\n}\n}\n" for line in (before, after))
    (found,) = older(text)
    (fix,) = found.fixes
    assert fix.safe is safe
    assert apply_edits(text, fix.edits) == wanted
    assert older(wanted) == []
    known = {item.code for item in check(text).diagnostics}
    assert {item.code for item in check(wanted).diagnostics} <= known


def test_a_stream_in_parentheses_is_respelled() -> None:
    text = HEAD + "parallel.async( st ) p by 4 : block {}\n}\n"
    (found,) = older(text)
    assert apply_edits(text, found.fixes[0].edits) == text.replace("( st )", "<st>")


def test_launch_bounds_moves_in_front_of_its_kernel() -> None:
    text = HEAD + "  parallel p by 4 : block {}\n  parallel b by 1 : block {\n    launch_bounds(128, 2);\n  }\n}\n"
    (found,) = older(text)
    bounds = "  [[launch_bounds(128, 2)]]\n  parallel b by 1 : block {\n  }\n}\n"
    assert apply_edits(text, found.fixes[0].edits) == HEAD + "  parallel p by 4 : block {}\n" + bounds


@pytest.mark.parametrize(
    ("line", "marked", "hint"),
    [
        ("q = mma.desc s; mma.row.row c, q, t;", ".desc", "write the shared buffer itself as operand"),
        ("mma.row.row c, s, t; mma.commit;", ".commit", "assign '.async' multiplies to a future and 'wait' for it"),
        ("setreg 96;", "setreg", "write '[[maxnreg(N)]]' before 'parallel', or a 'call' that sets registers"),
    ],
)
def test_what_is_no_respelling_has_a_hint_only(line: str, marked: str, hint: str) -> None:
    text = HEAD + KERNEL + TILES + line + "\n}\n}\n"
    (found,) = older(text)
    assert text[found.span.start : found.span.end] == marked
    assert (found.hint, found.fixes) == (hint, ())


def test_loads_of_shared_tiles_are_older_for_a_warpgroup_only() -> None:
    loads = "a = mma.load s; d = mma.load t; mma.row.row c, a, d;\n}\n}\n"
    text = HEAD + KERNEL + TILES + loads
    assert [text[: item.span.start].count("\n") for item in older(text)] == [6, 6]
    assert [item.message for item in older(text)] == ["'mma.load' of a shared tile is a form of an older dialect"] * 2
    warp = (
        (HEAD + KERNEL + TILES + loads)
        .replace("group-4", "group")
        .replace("mma.load s", "mma.load s.subspan(16, 16).at(0, 0)")
    )
    assert older(warp.replace("mma.load t", "mma.load t.subspan(16, 16).at(0, 0)")) == []


def test_other_dialects_are_left_alone() -> None:
    text = HEAD + KERNEL + TILES + "mma.row.row c, s, t; mma.commit;\n}\n}\n"
    assert [item for item in check_text(text).diagnostics if item.code == "older-form"] == []
