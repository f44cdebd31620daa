"""`yield` in loops with barriers and events (reference, 4.5): what is refused, and what is not."""

from __future__ import annotations

import pytest

from croqc.sema import rulenames_device as rules
from tests.sema.device_study import block, device
from tests.sema.study import marked

EVENT = "shared event e[2];"
ROLES = "parallel w by 2 : group {{ inthreads.async (w == 0) {{ {0} }} inthreads.async (w == 1) {{ {1} }} }}"


def found(body: str) -> tuple[list[tuple[str, str]], list[str]]:
    """The findings of the rule, and the places that they name."""
    device = block(body)
    mine = [item for item in device.study.analysis.findings if item.rule == rules.YIELD_IN_LOOP]
    places = [device.study.text(one) for item in mine for one in item.related]
    return [told for told in device.told if told[0] == rules.YIELD_IN_LOOP], places


@pytest.mark.parametrize(
    ("body", "needs"),
    [
        ("parallel t by 64 : thread { foreach k in n { sync.shared; if (t == k) «yield;» } }", "sync.shared;"),
        ("parallel t by 64 : thread { foreach k in n { «yield;» sync.barrier : block; } }", "sync.barrier : block;"),
        ("parallel t by 64 : thread { while (n > 1) { if (t == 1) { «yield;» } sync.shared; } }", "sync.shared;"),
        (EVENT + ROLES.format("foreach k in n { wait e[k % 2]; «yield;» }", "trigger e[0], e[1];"), "e"),
        (EVENT + ROLES.format("foreach k in n { if (k > 3) «yield;» trigger e[k % 2]; }", "wait e[0], e[1];"), "e"),
        (ROLES.format("foreach k in n { __bar_sync(1, 64); «yield;» }", "__bar_sync(1, 64);"), "__bar_sync(1, 64)"),
        ("parallel t by 64 : thread { local event e; foreach k in n { trigger e; wait e; «yield;» } }", "e"),
        # the outer loop comes back to the event, whatever the inner one does
        (EVENT + ROLES.format("foreach k in n { wait e[0]; foreach j in k { «yield;» } }", "trigger e[0];"), "e"),
        ("parallel w by 2 : group { foreach k in n { «yield;» inthreads (w == 0) {} } }", "inthreads (w == 0) {}"),
    ],
)
def test_yield_in_a_loop_that_counts_on_all(body: str, needs: str) -> None:
    text, (place,) = marked(body)
    assert found(text) == ([(rules.YIELD_IN_LOOP, place)], [needs])


@pytest.mark.parametrize(
    "body",
    [
        "parallel t by 64 : thread { if (t > n) yield; foreach k in n { sync.shared; } }",
        "parallel t by 64 : thread { foreach k in n { if (t == k) yield; } sync.shared; }",
        "parallel t by 64 : thread { foreach k in n { if (t == k) yield; sync.fence : block; } }",
        "parallel t by 64 : thread { foreach k in n { if (t == k) break; sync.shared; } }",
        EVENT + ROLES.format("if (n > 3) { yield; } foreach k in n { wait e[k % 2]; }", "trigger e[0], e[1];"),
        EVENT + ROLES.format("foreach k in n { yield; }", "foreach k in n { trigger e[0]; wait e[0]; }"),
        # a region in a region has no barrier (4.4)
        "parallel w by 2 : group { inthreads.async (w < 1) { foreach k in n { yield; inthreads (w == 0) {} } } }",
    ],
)
def test_yield_that_nothing_of_a_loop_counts_on(body: str) -> None:
    assert found(body) == ([], [])


def test_a_loop_of_the_host_is_none_of_the_kernel() -> None:
    found = device("foreach i in 4 { parallel t by 64 : thread { sync.shared; yield; } }")
    assert [told for told in found.told if told[0] == rules.YIELD_IN_LOOP] == []
