"""Parameters below zero are not tried, and a proof is none of what they do there."""

from __future__ import annotations

import pytest

from croqc.flow.report import Strength
from tests.flow.test_counters import load, pipe, use
from tests.flow.test_no_false_proof import flow_of

HEAD = "foreach k in [cdiv(C, 32)]"


def slots(text: str) -> str:
    return text.replace("[k % S]", "[(k + J * 3) % S]")


SAME = [
    (load("foreach k in [J]"), use("foreach k in [J]")),
    (load("foreach k in [cdiv(J, 4)]"), use("foreach k in [cdiv(J, 4)]")),
    (load("foreach k in [J - 2]"), use("foreach k in [J - 2]")),
    (load(f"{HEAD} {{ if (J > 3) {{ dst.at(0, 0) = 1; }} }} {HEAD}"), use(HEAD)),
]
OTHERWISE = [
    (slots(load(HEAD)), use(HEAD)),
    (load("foreach k in [J + 4]"), use("foreach k in [J + 4]")),
    (load(HEAD, "J == 0 - 1"), use(HEAD)),
    (load(HEAD, "J * J > 5 && J < 0"), use(HEAD)),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_where_less_than_zero_does_what_zero_does_it_is_proved(first: str, second: str) -> None:
    flow = flow_of(pipe(first, second))
    assert (flow.strength, flow.reason, flow.findings) == (Strength.PROVED, "", ())


@pytest.mark.parametrize(("first", "second"), OTHERWISE)
def test_where_less_than_zero_may_do_something_else_it_is_not_proved(first: str, second: str) -> None:
    assert flow_of(pipe(first, second)).strength is Strength.CHECKED


def test_what_the_host_asserts_counts() -> None:
    text = pipe(slots(load(HEAD)), use(HEAD))
    asserted = text.replace("  parallel b by 4", '  assert(J >= 0, "J");\n  parallel b by 4')
    assert flow_of(text).reason == "'J' was taken to be 0 or more"
    assert flow_of(asserted).strength is Strength.PROVED
