"""Each rule of the IR, broken by hand."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import InvalidIrError
from croqc.pipe.exprs import Lit, Var
from croqc.pipe.verify import verify
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import ACC, FULL, TILE, VECTOR, arrive, held, kernel, load, multiply, put, shared, slot, visit

TMA = ir.Mechanism.TMA
ROWS = replace(VECTOR, spread=ir.Spread.ROWS)
ONE = Lit(1.0, "f32")
WAIT = ir.Wait(NOWHERE, slot())


def with_tiles(tile: ir.Accumulator, *body: ir.Stmt, passed: tuple[str, ...] = ()) -> ir.Kernel:
    return replace(kernel(*body, passed=passed), accumulators=(tile,))


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
    "nothing says where the elements of rows lie": with_tiles(VECTOR, passed=("fragments",)),
    "there is no register tile acc": kernel(visit(put(held(), ONE))),
    "an element of acc outside of a visit": with_tiles(ACC, put(held(), ONE)),
    "nothing says which element of acc is the thread's own": with_tiles(
        ACC, visit(put(held(), ONE)), passed=("fragments",)
    ),
    "a reduction of rows into acc, which does not lie along rows": with_tiles(
        ACC, ir.Reduce(NOWHERE, "sum", ACC, Lit(0), ACC, Lit(0)), passed=("fragments",)
    ),
    "nothing has placed what scales acc": with_tiles(
        ACC, ir.Scale(NOWHERE, ACC, Lit(0), ("i", "j"), "r"), passed=("scales",)
    ),
    "a group of multiplies into tensor memory ends as one of wgmma": replace(
        kernel(ir.Commit(NOWHERE)), tensor_columns=64
    ),
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
    verify(with_tiles(ROWS, visit(put(held(ROWS, Var("i"), register=Var("r")), ONE), acc=ROWS), passed=("fragments",)))
    verify(replace(kernel(replace(WAIT, phase="p"), whole, multiply(steps=4), passed=done), maps=maps))
