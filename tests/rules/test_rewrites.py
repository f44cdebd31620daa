"""Fixes that remove or replace text: bodies without braces, several statements on a line, macros."""

import pytest

from croqc.service.check import check_text
from croqc.text.edits import apply_edits

HEAD = "__co__ void f(global f16 [64, 64] x, global f16 [64, 64] y, int n) {\n  parallel b by 1 : block {\n"


def fixed(body: str, rule: str, before: str = "") -> str | None:
    """The body after the one fix of the one finding of a rule; None where it has no fix."""
    text = before + HEAD + body + "\n  }\n}\n"
    report = check_text(text)
    (found,) = (item for item in report.diagnostics if item.code == rule)
    if not found.fixes:
        return None
    after = apply_edits(text, found.fixes[0].edits)
    left = {item.code for item in check_text(after).diagnostics}
    assert left <= {item.code for item in report.diagnostics} - {rule}
    return after.removeprefix(before + HEAD).removesuffix("\n  }\n}\n")


@pytest.mark.parametrize(
    ("body", "after"),
    [
        (
            "    f = dma.copy x => shared;\n    wait f;\n    dma.copy f => y;",
            "    f = dma.copy x => shared;\n    dma.copy f => y;",
        ),
        ("f = dma.copy x => shared; wait f ; dma.copy f => y;", "f = dma.copy x => shared;  dma.copy f => y;"),
        ("f = dma.copy x => shared; if (n > 2) wait f;", "f = dma.copy x => shared; if (n > 2) ;"),
    ],
)
def test_a_wait_is_removed(body: str, after: str) -> None:
    assert fixed(body, "wait-on-complete") == after


def test_one_of_several_waits_has_no_fix() -> None:
    waits = "f = dma.copy x => shared; g = dma.copy.async x => shared; wait f, g;"
    assert fixed(waits, "wait-on-complete") is None


def test_what_a_macro_made_has_no_fix() -> None:
    loop = "foreach i in 4 : unroll(8) {}"
    assert fixed(loop, "loop-hint") == "foreach i in 4 : unroll(4) {}"
    assert fixed("foreach i in 4 : UNROLLED {}", "loop-hint", "#define UNROLLED unroll(8)\n") is None


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("tma.transp<1, 0> x => shared;", "dma.transp<1, 0> x => shared;"),
        (
            "f = tma.pad<{1, 0}, {0, 0}, {0, 0}, 0.0f> x => shared;",
            "f = dma.pad<{1, 0}, {0, 0}, {0, 0}, 0.0f> x => shared;",
        ),
    ],
)
def test_dma_does_what_tma_cannot(body: str, after: str) -> None:
    assert fixed(body, "tma-limit") == after


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("tma.load", "dma.copy"),
        ("tma.copy", "dma.copy"),
        ("tma.load.evict_first", None),
        ("tma.copy.multicast", None),
    ],
)
def test_modifiers_of_tma_alone_keep_it(name: str, after: str | None) -> None:
    copy = "shared f16 [8, 64] s; foreach i in 4 {{ {} x.subspan(i + 1, 64).at(0, 0) => s; }}"
    assert fixed(copy.format(name), "tma-box-varies") == (copy.format(after) if after else None)
