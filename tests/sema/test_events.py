"""Events, waits, triggers and futures: the rules of 5.4, 7.2 to 7.5 and 7.7 that need no run."""

from __future__ import annotations

import pytest

from croqc.sema import rulenames_device as rules
from tests.sema.device_study import block, device
from tests.sema.study import marked

DECLARE = "shared event full[2], empty[2] = ready, grid[2][2], done; shared f16 [64, 64] s, t; mutable int order = 0;"
COPY = "dma.copy.async lhs.subspan(64, 64).at(b, 0) => s"


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("parallel p by 2 : group-4 { inthreads.async (p == 0) { shared event «late»; } }", rules.EVENT_IN_REGION),
        ("«global event g;»", rules.EVENT_STORAGE),
        ("trigger «s»;", rules.TRIGGER_OPERAND),
        ("wait «order»;", rules.WAIT_OPERAND),
        ("wait «done.at(1)»;", rules.EVENT_ORDER),
        ("wait «grid.at(1)»;", rules.EVENT_ORDER),
        ("wait full[0]«.at(1)»;", rules.EVENT_ORDER),
        ("wait full.at(«order++ + 1»);", rules.EVENT_ORDER),
        ("wait full.at(«1.5f»);", rules.EVENT_ORDER),
        ("mutable bf16 x = 0; wait full.at(«x»);", rules.EVENT_ORDER),
        (f"f = {COPY}; «trigger full[0], done after f;»", rules.JOINED_TRIGGER),
        (f"f = {COPY.replace('.async', '')}; trigger done after «f»;", rules.JOINED_TRIGGER),
        ("f = tma.copy.async s => out.subspan(64, 64).at(b, 0); trigger done after «f»;", rules.JOINED_TRIGGER),
        ("parallel p by 2 : group-4 { «trigger done;» }", rules.EVENT_OUTSIDE_ROLE),
        ("parallel p by 2 : group-4 { «wait done;» }", rules.EVENT_OUTSIDE_ROLE),
        ("parallel t by 64 : thread { __bar_sync(«15», 64); }", rules.NAMED_BARRIER),
        ("parallel t by 64 : thread { __bar_arrive(1, «48»); }", rules.NAMED_BARRIER),
        (f"f = {COPY.replace('.async', '')}; wait «f»;", rules.COMPLETE_FUTURE),
        (f"f = {COPY}; g = {COPY}; swap(f, «s»); wait f, g;", rules.SWAP_OPERANDS),
        ("dma.copy lhs.subspan(64, 64).at(b, 0) => select(«2», s, t);", rules.SELECT_OPERANDS),
        ("mutable tf32 x = 0; dma.copy lhs.subspan(64, 64).at(b, 0) => select(«x», s, t);", rules.SELECT_OPERANDS),
        ("dma.copy lhs.subspan(64, 64).at(b, 0) => select(b % 2, s, «order»);", rules.SELECT_OPERANDS),
    ],
)
def test_what_is_refused(body: str, rule: str) -> None:
    text, (place,) = marked(body)
    assert block(f"{DECLARE} {text}").told == [(rule, place)]


def test_shared_events_belong_to_the_device() -> None:
    assert device("shared event e;").told == [(rules.EVENT_STORAGE, "shared event e;")]
    assert device("global event e;").told == []


@pytest.mark.parametrize(
    "body",
    [
        "trigger done; wait done;",
        "trigger full; wait full[order % 2];",
        "wait full.at(order++);",
        "wait grid[0][1];",
        f"f = {COPY}; trigger full[0] after f;",
        f"f = {COPY}; wait f;",
        "f = tma.copy.async lhs.subspan(64, 64).at(b, 0) => s; trigger full.at(order) after f;",
        "parallel p by 2 : group-4 { inthreads.async (p == 0) { trigger full[0]; } }",
        "parallel p by 2 : group-4 { trigger full[p]; }",
        "parallel p by 1 : group-4 { trigger done; wait done; }",
        f"f = {COPY}; g = dma.any; foreach i in 4 {{ g = {COPY}; wait f; swap(f, g); }} wait f;",
        f"f = {COPY}; g = {COPY}; wait f, g;",
    ],
)
def test_what_is_allowed(body: str) -> None:
    assert block(f"{DECLARE} {body}").told == []


def test_a_placeholder_keeps_its_type() -> None:
    body = "f = dma.any; f = dma.copy lhs.subspan(64, 64).at(b, 0) => shared; «f» = dma.copy {} => shared;"
    text, (place,) = marked(body.format("big.subspan(64, 64).at(b, 0)"))
    assert block(text).told == [(rules.FUTURE_REUSE, place)]
    assert block(marked(body.format("lhs.subspan(64, 64).at(b, 1)"))[0]).told == []


def test_swapped_futures_are_of_one_scope_and_type() -> None:
    other = "big.subspan(64, 64).at(b, 0)"
    body = f"f = dma.copy lhs.subspan(64, 64).at(b, 0) => shared; g = dma.copy {other} => shared; swap(f, g);"
    assert block(body).told == [(rules.SWAP_OPERANDS, "g")]
    tile = "dma.copy lhs.subspan(64, 64).at(b, 0) => shared;"
    found = block(f"f = {tile} foreach i in 2 {{ h = {tile} swap(f, h); }}")
    assert found.finding(rules.SWAP_OPERANDS).args["reason"] == "scope"
