"""A variable that an expression moves on is not taken to stand still."""

from __future__ import annotations

import pytest

from croqc.flow.report import Strength
from tests.flow.test_counters import PIPE
from tests.flow.test_no_false_proof import flow_of

HEAD = "mutable int n = 0; foreach k in [cdiv(C, 32)] {"
LOAD = "wait empty[n % S]; dma.copy src.subspan(4, 32).at(b, k) => ring[n % S]; trigger full[n % S];"
USE = "wait full[n % S]; dma.copy ring[n % S] => dst.subspan(4, 32).at(b, k); trigger empty[n % S];"


def flow(load: str, use: str = "n += 1;") -> tuple[Strength, list[str]]:
    found = flow_of(PIPE.format(load=f"{HEAD} {LOAD} {load} }}", use=f"{HEAD} {USE} {use} }}"))
    return found.strength, [finding.rule for finding in found.findings]


@pytest.mark.parametrize(
    "step", ["int y = n++;", "int y = ++n;", "int y = 4 - n++;", 'assert(n++ < 1000, "x");', "inner: [n++];"]
)
def test_it_is_moved_on(step: str) -> None:
    assert flow(step) == (Strength.PROVED, [])


def test_it_is_moved_back() -> None:
    """Both go round the ring the other way."""
    back = "int y = n--; if (n < 0) { n = 2; }"
    assert flow(back, back)[1] == []
    assert flow(back)[0] is Strength.FAILS


@pytest.mark.parametrize(
    "step",
    [
        "int y = n++ + n;",
        "bool y = (J > 2) && (n++ > 3);",
        "int y = (J > 2) ? n++ : 0;",
        "if (n++ > 3) { dst.at(0, 0) = 1; }",
        "foreach q in [n++] { dst.at(0, 0) = 1; }",
        "with q in [n++] { dst.at(0, 0) = 1; }",
    ],
)
def test_where_it_need_not_be_nothing_is_said(step: str) -> None:
    assert flow(step) == (Strength.UNKNOWN, [])


def test_an_order_is_moved_on_once() -> None:
    load, use = (part.replace("[n % S];", ".at(n);").replace("=> ring.at(n)", "=> ring[n % S]") for part in (LOAD, USE))
    load, use = (
        f"{HEAD} {load.replace('full.at(n)', 'full.at(n++)')} }}",
        f"{HEAD} {use} n += 1; }}",
    )
    found = flow_of(PIPE.format(load=load, use=use))
    assert (found.strength, found.findings) == (Strength.PROVED, ())
