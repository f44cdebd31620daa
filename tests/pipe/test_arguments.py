"""Which arrays a kernel takes the address of, and which of them are restricted."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Fn, Lit, Read, Var, whole
from croqc.pipe.passes.arguments import arguments
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import DST, SRC, arrive, box, kernel, load, role, store
from tests.pipe.lowering import env_of

TMA, VECTOR = ir.Mechanism.TMA, ir.Mechanism.VECTOR
ELEMENT = Read(whole(SRC), (Lit(0), Lit(0)))


def taken(*body: ir.Stmt) -> dict[str, bool]:
    """The arrays whose addresses the kernel takes, and whether they are restricted."""
    made = arguments(kernel(*body), env_of({"M": 128, "K": 128}))
    assert made.body == body
    return {pointer.name: pointer.restricted for pointer in made.pointers}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param((), {}, id="nothing"),
        pytest.param((load(mechanism=TMA), arrive(), store(mechanism=TMA)), {}, id="transfers alone"),
        pytest.param((load(mechanism=VECTOR), store(mechanism=TMA)), {"src": True}, id="read by threads"),
        pytest.param((load(mechanism=TMA), store(mechanism=VECTOR)), {"dst": False}, id="written by threads"),
        pytest.param((role(load(mechanism=VECTOR), load(mechanism=TMA)),), {"src": True}, id="both"),
        pytest.param((ir.Let(NOWHERE, "x", "f16", ELEMENT),), {"src": True}, id="an element"),
        pytest.param((ir.Text(NOWHERE, "use(dst);", frozenset({"use", "dst"})),), {"dst": False}, id="an island"),
        pytest.param((ir.Call(NOWHERE, "f", (Fn("&", (ELEMENT,), "f16"),)),), {"src": False}, id="a device function"),
    ],
)
def test_what_only_transfers_touch_is_no_argument(body: tuple[ir.Stmt, ...], expected: dict[str, bool]) -> None:
    assert taken(*body) == expected


def test_where_a_box_begins_may_be_read_from_an_array() -> None:
    """The threads that start the transfer read it."""
    table = replace(ELEMENT, tile=whole(DST))
    copy = load(Unit.THREAD, mechanism=TMA, source=box(SRC, table, Lit(0)))
    assert taken(copy) == {"dst": True}
    assert taken(replace(copy, source=box(SRC, Var("k"), Lit(0)))) == {}
