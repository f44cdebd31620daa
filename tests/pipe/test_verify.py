"""Each rule of the IR, broken by hand."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import InvalidIrError
from croqc.pipe.exprs import Lit, Op, Var
from croqc.pipe.verify import verify
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import ACC, FULL, SRC, arrive, held, kernel, load, multiply, put, slot, visit

TMA = ir.Mechanism.TMA
WAIT = ir.Wait(NOWHERE, slot())
BROKEN = {
    "full has 2 slots and the counts (1,)": kernel(events=(replace(FULL, arrivals=(1,)),)),
    "full has 2 slots and the counts (1, 0)": kernel(events=(replace(FULL, arrivals=(1, 0)),)),
    "there is no event empty": kernel(ir.Wait(NOWHERE, ir.SlotRef("empty", Lit(0)))),
    "there is no register tile acc": kernel(visit(put(held(), Lit(1.0, "f32")))),
    "an element of acc outside of a visit": replace(kernel(put(held(), Lit(1.0, "f32"))), accumulators=(ACC,)),
    "there is no event gone": kernel(arrive(slot=ir.SlotRef("gone", Lit(0)))),
    "there is no event other": kernel(load(completes=ir.SlotRef("other", Lit(0)))),
    "there is no event committed": kernel(ir.ArriveCommitted(NOWHERE, ir.SlotRef("committed", Lit(0)))),
    "'?' is no name": kernel(ir.Wait(NOWHERE, ir.SlotRef("full", Op("%", (Var("?"), Lit(2)))))),
    "'??' is no name": replace(kernel(), grid=(Var("??"),)),
    "'src.span(0)' is no name": replace(kernel(), tensors=(replace(SRC, shape=(Var("src.span(0)"), Lit(1))),)),
    "there is no event complete": kernel(ir.Complete(NOWHERE, ir.SlotRef("complete", Lit(0)), "p")),
}


@pytest.mark.parametrize("problem", BROKEN)
def test_each_rule(problem: str) -> None:
    with pytest.raises(InvalidIrError) as error:
        verify(BROKEN[problem])
    after = BROKEN[problem].passed[-1] if BROKEN[problem].passed else "build"
    assert str(error.value).startswith(f"k after {after}: ")
    assert problem in str(error.value)


def test_a_rule_holds_only_behind_its_pass() -> None:
    verify(kernel(WAIT, load(), load(mechanism=TMA), multiply(steps=3)))


def test_names_of_cuda_are_names() -> None:
    verify(kernel(ir.Let(NOWHERE, "t", "s32", Var("threadIdx.x"))))


def test_what_is_whole_passes() -> None:
    whole = load(mechanism=TMA, completes=slot(), boxes=(ir.Box(0, (0, 0)),))
    maps = (ir.TensorMap(whole.source.tensor, (64, 64), 128),)
    fence, told = ir.Fence(NOWHERE, ir.Fencing.WGMMA), arrive(bytes=8192)
    done = ("mechanism", "fold", "layout", "rows", "phases")
    visited = visit(put(held(register=Var("r")), Lit(1.0, "f32")))
    start = kernel(replace(WAIT, phase="p"), whole, told, fence, multiply(steps=4), visited, passed=done)
    verify(replace(start, accumulators=(ACC,), maps=maps, phases=(("p", "full"),)))
