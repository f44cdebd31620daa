"""Parameters below zero are not tried, and a proof is none of what they do there."""

from __future__ import annotations

import pytest

from croqc.flow.report import Strength
from tests.flow.test_counters import load, pipe, use
from tests.flow.test_no_false_proof import flow_of

HEAD = "foreach k in [cdiv(C, 32)]"


UP = "mutable int k = 0; while (k <= J)"


def piped(first: str, second: str) -> str:
    step = "k += 1;" if "while" in first else ""
    return pipe(first, second, "", step).replace("int J", "int J, int I")


def slots(text: str) -> str:
    return text.replace("[k % S]", "[(k + J * 3) % S]")


SAME = [
    (load("foreach k in [J]"), use("foreach k in [J]")),
    (load("foreach k in [cdiv(J, 4)]"), use("foreach k in [cdiv(J, 4)]")),
    (load("foreach k in [J - 2]"), use("foreach k in [J - 2]")),
    (load("foreach k in [J + 4]"), use("foreach k in [J + 4]")),  # J = -4 and its like are tried beside
    (load("foreach k in [cdiv(J, 2) + I]"), use("foreach k in [cdiv(J, 2) + I]")),  # as many turns as for another J
    (load(UP), use(UP)),
    (load(f"{HEAD} {{ if (J > 3) {{ dst.at(0, 0) = 1; }} }} {HEAD}"), use(HEAD)),
]
OTHERWISE = [
    (slots(load(HEAD)), use(HEAD)),
    (load("foreach k in [J + cdiv(C, 32)]"), use("foreach k in [J + cdiv(C, 32)]")),
    (load("foreach k in [J + 2]"), use("foreach k in [J > 0 - 1 ? J + 2 : J + 1]")),
    (load("foreach k in [J + I]"), use("foreach k in [I + J / 2 + (J + 1) / 2]")),
    (load("foreach k in [J + I]", "I < 0"), use("foreach k in [J + I]")),
    (load("foreach k in [J + 6]"), use("foreach k in [J + 6]")),
    (load(HEAD, "J == 0 - 1"), use(HEAD)),
    (load(HEAD, "J == 0 - 50"), use(HEAD)),
    (load(HEAD, "J * I > 5 && J < 0 && I < 0"), use(HEAD)),
    (load(HEAD, "J * 2 + k == 0 - 77"), use(HEAD)),
    (load(HEAD, "J % 97 == 0 - 50"), use(HEAD)),
    (load(HEAD, "J / 5 == 0 - 50"), use(HEAD)),
    (load(HEAD, "J / 4 == 0 && J < 0"), use(HEAD)),  # -1 / 4 is 0
    (load(HEAD, "J / 100 == 0 && J != 0 && J < 1 && k == 1"), use(HEAD)),
    (load(HEAD, "J / 4 == 0 && J == 0 - 2"), use(HEAD)),
    (load("foreach k in [0 - J * I]"), use("foreach k in [0 - J * I]")),
    (load(HEAD, "J * J > 5 && J < 0"), use(HEAD)),
    (load(HEAD, "(J >> 31) != 0"), use(HEAD)),  # of all that are negative, and of no other
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_where_less_than_zero_does_what_zero_does_it_is_proved(first: str, second: str) -> None:
    flow = flow_of(piped(first, second))
    assert (flow.strength, flow.reason, flow.findings) == (Strength.PROVED, "", ())


@pytest.mark.parametrize(("first", "second"), OTHERWISE)
def test_where_less_than_zero_may_do_something_else_it_is_not_proved(first: str, second: str) -> None:
    assert flow_of(piped(first, second)).strength is Strength.CHECKED


def test_what_the_host_asserts_counts() -> None:
    text = pipe(slots(load(HEAD)), use(HEAD))
    asserted = text.replace("  parallel b by 4", '  assert(J >= 0, "J");\n  parallel b by 4')
    assert flow_of(text).reason == "'J' was taken to be 0 or more"
    assert flow_of(asserted).strength is Strength.PROVED
