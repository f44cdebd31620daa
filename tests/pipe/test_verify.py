"""Each rule of the IR, broken by hand."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import InvalidIrError
from croqc.pipe.exprs import Lit
from croqc.pipe.verify import verify
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import FULL, TILE, arrive, kernel, load, multiply, shared, slot

TMA = ir.Mechanism.TMA
WAIT = ir.Wait(NOWHERE, slot())
BROKEN = {
    "full has 2 slots and the counts (1,)": kernel(events=(replace(FULL, arrivals=(1,)),)),
    "full has 2 slots and the counts (1, 0)": kernel(events=(replace(FULL, arrivals=(1, 0)),)),
    "there is no event empty": kernel(ir.Wait(NOWHERE, ir.SlotRef("empty", Lit(0)))),
    "there is no event gone": kernel(arrive(slot=ir.SlotRef("gone", Lit(0)))),
    "a wait for full has no phase": kernel(WAIT, passed=("phases",)),
    "the copy into tile has no mechanism": kernel(load(), passed=("mechanism",)),
    "the copy into tile has no tensor map": kernel(load(mechanism=TMA), passed=("mechanism", "layout")),
    "nothing says when the copy into tile has landed": kernel(load(mechanism=TMA), passed=("mechanism", "fold")),
    "3 steps of 16 are not K = 64": kernel(multiply(steps=3), passed=("rows",)),
    "tile lies at 8, its alignment is 16": replace(
        kernel(passed=("memory",)), shared=(replace(shared(TILE), offset=8),)
    ),
    "tile lies at -1": kernel(passed=("memory",)),
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


def test_what_is_whole_passes() -> None:
    whole = load(mechanism=TMA, completes=slot(), map=0)
    maps = (ir.TensorMap(whole.source.tensor, (64, 64), 128),)
    done = ("mechanism", "fold", "layout", "rows", "phases")
    verify(replace(kernel(replace(WAIT, phase="p"), whole, multiply(steps=4), passed=done), maps=maps))
