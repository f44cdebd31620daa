"""Roles, phases, election, layout: on kernels by hand."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Lit, Space, Tensor, Var, whole
from croqc.pipe.passes.elect import elect
from croqc.pipe.passes.layout import layout
from croqc.pipe.passes.memory import memory
from croqc.pipe.passes.phases import phases
from croqc.pipe.passes.roles import roles
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import FULL, OTHER, TILE, arrive, kernel, load, multiply, role, shared, slot, store, write
from tests.pipe.lowering import env_of, only

ENV = env_of({"M": 128, "K": 128})
TMA = ir.Mechanism.TMA
LOAD = load(mechanism=TMA, completes=slot())


def loop(*body: ir.Stmt) -> ir.Loop:
    return ir.Loop(NOWHERE, "t", Lit(0), Var("K"), Lit(1), body)


# --- roles -------------------------------------------------------------------------------------


def test_roles_that_share_a_loop_run_it_each_by_itself() -> None:
    one, two = role(LOAD), role(multiply(), path="path w == 1")
    done = roles(kernel(loop(ir.Let(NOWHERE, "x", "s32", Var("t")), one, two)), ENV)
    assert [type(each) for each in done.body] == [ir.Role, ir.Role]
    turns = only(done, ir.Loop)
    assert [role.body for role in only(done, ir.Role)] == [(turn,) for turn in turns]
    assert [[type(each) for each in turn.body] for turn in turns] == [[ir.Let, ir.Copy], [ir.Let, ir.Multiply]]


@pytest.mark.parametrize(
    "between", [ir.Sync(NOWHERE, Unit.BLOCK), write(), load(Unit.BLOCK), ir.Wait(NOWHERE, slot())], ids=str
)
def test_what_the_paths_do_together_keeps_them_together(between: ir.Stmt) -> None:
    whole_loop = loop(role(LOAD), role(multiply(), path="path w == 1"), between)
    assert roles(kernel(whole_loop), ENV).body == (whole_loop,)


def test_one_role_stays() -> None:
    assert roles(kernel(loop(role(LOAD))), ENV).body == (loop(role(LOAD)),)


def test_a_condition_that_changes_in_the_loop_keeps_it() -> None:
    turning = replace(role(LOAD), cond=Var("t"))
    whole_loop = loop(turning, role(multiply(), path="path w == 1"))
    assert roles(kernel(whole_loop), ENV).body == (whole_loop,)


def test_roles_of_the_same_threads_stay_turn_by_turn() -> None:
    whole_loop = loop(role(LOAD), replace(role(multiply(), path="path w == 1"), groups=(0, 1)))
    assert roles(kernel(whole_loop), ENV).body == (whole_loop,)


def test_a_variable_of_all_that_the_loop_changes_keeps_it() -> None:
    """Threads in no role count too."""
    whole_loop = loop(ir.Set(NOWHERE, "n", Var("t")), role(LOAD), role(multiply(), path="path w == 1"))
    assert roles(kernel(COUNTED, whole_loop), ENV).body == (COUNTED, whole_loop)


# --- election ----------------------------------------------------------------------------------


def test_a_role_that_only_loads_is_one_thread() -> None:
    (done,) = elect(kernel(role(ir.Wait(NOWHERE, slot()), LOAD, arrive(bytes=8192))), ENV).body
    assert isinstance(done, ir.Role)
    assert done.elected
    assert [each.unit for each in done.body if isinstance(each, ir.Copy | ir.Arrive)] == [Unit.THREAD] * 2


@pytest.mark.parametrize("more", [write(), multiply(), ir.Sync(NOWHERE, Unit.GROUP4), store(mechanism=TMA)], ids=str)
def test_a_role_that_does_more_keeps_its_threads(more: ir.Stmt) -> None:
    (done,) = elect(kernel(role(LOAD, more)), ENV).body
    assert isinstance(done, ir.Role)
    assert not done.elected


def test_a_role_without_a_load_keeps_its_threads() -> None:
    (done,) = only(elect(kernel(role(ir.Wait(NOWHERE, slot()), arrive())), ENV), ir.Role)
    assert not done.elected


WAIT = ir.Wait(NOWHERE, slot(), phase="full_phase")
COUNTED = ir.Let(NOWHERE, "n", "s32", Lit(0))


@pytest.mark.parametrize(
    ("inner", "alone"),
    [
        ((WAIT,), True),
        ((COUNTED, ir.Set(NOWHERE, "n", Lit(1))), True),
        ((ir.Set(NOWHERE, "outer", Lit(1)),), False),
        ((ir.Jump(NOWHERE, "return"),), False),
    ],
    ids=["its own bits", "its own variable", "a variable of all", "yield"],
)
def test_nothing_of_an_elected_role_is_left_to_the_others(inner: tuple[ir.Stmt, ...], alone: bool) -> None:
    done = only(elect(kernel(role(LOAD, *inner)), ENV), ir.Role)[0]
    assert done.elected == alone


def test_a_bit_that_others_keep_too_keeps_the_threads() -> None:
    """The others would ask for a phase that only the elected thread has seen flip."""
    done = only(elect(kernel(role(WAIT, LOAD), WAIT), ENV), ir.Role)[0]
    assert not done.elected


# --- phases ------------------------------------------------------------------------------------


def test_a_wait_by_number_has_a_bit_and_one_by_order_has_none() -> None:
    ordered = ir.Wait(NOWHERE, ir.SlotRef("full", Var("k"), ordered=True))
    done = phases(kernel(ir.Wait(NOWHERE, slot(1)), ordered), ENV)
    assert [each.phase for each in only(done, ir.Wait)] == ["full_phase", None]
    assert done.phases == (("full_phase", "full"),)


def test_more_slots_than_bits_are_refused() -> None:
    wide = replace(FULL, slots=65, arrivals=(1,) * 65)
    with pytest.raises(LoweringError, match="65 slots"):
        phases(kernel(ir.Wait(NOWHERE, slot()), events=(wide,)), ENV)


# --- layout and memory -------------------------------------------------------------------------


def laid(tensor: Tensor, *body: ir.Stmt, swizzle: int = 0) -> ir.Shared:
    made = replace(kernel(*body), shared=(shared(tensor, swizzle), shared(OTHER)))
    return layout(made, ENV).shared[0]


def operand(columns: int) -> tuple[Tensor, ir.Multiply]:
    tensor = Tensor("tile", "f16", (Lit(64), Lit(columns)), Space.SHARED)
    return tensor, multiply(a=whole(tensor))


@pytest.mark.parametrize(("columns", "swizzle"), [(64, 128), (128, 128), (32, 64), (96, 64), (16, 32), (48, 32)])
def test_operands_have_the_widest_swizzle_that_divides_their_rows(columns: int, swizzle: int) -> None:
    tensor, stmt = operand(columns)
    item = laid(tensor, stmt)
    assert (item.swizzle, item.alignment) == (swizzle, 1024)


def test_what_the_source_asks_for_wins() -> None:
    tensor, stmt = operand(64)
    assert laid(tensor, stmt, swizzle=32).swizzle == 32


def test_rows_that_no_instruction_reads_are_refused() -> None:
    tensor, stmt = operand(8)
    with pytest.raises(LoweringError, match="rows of 'tile' are 16 bytes"):
        laid(tensor, stmt)


def test_tiles_that_are_only_moved_lie_plainly() -> None:
    assert (laid(TILE, load(mechanism=TMA)).swizzle, laid(TILE, load(mechanism=TMA)).alignment) == (0, 128)
    assert laid(TILE, load(Unit.BLOCK, mechanism=ir.Mechanism.VECTOR)).alignment == 16


def test_a_box_is_as_wide_as_the_swizzle() -> None:
    tensor, stmt = operand(128)
    wide = replace(load(mechanism=TMA).source, shape=(Lit(64), Lit(128)))
    made = replace(
        kernel(load(mechanism=TMA, source=wide, dest=whole(tensor)), stmt), shared=(shared(tensor), shared(OTHER))
    )
    (only_map,) = layout(made, ENV).maps
    assert (only_map.box, only_map.swizzle) == ((64, 64), 128)


def test_the_largest_alignment_comes_first_and_barriers_last() -> None:
    small = replace(shared(OTHER), alignment=16, bytes=100)
    made = replace(kernel(), shared=(small, shared(TILE, 128, 1024)))
    done = memory(made, ENV)
    assert [item.offset for item in done.shared] == [8192, 0]
    assert (done.barriers_at, done.shared_bytes) == (8192 + 112, 8192 + 112 + 2 * 8)


def test_more_than_a_block_has_is_refused_at_the_largest() -> None:
    huge = replace(shared(TILE), bytes=300_000)
    with pytest.raises(LoweringError, match="a block would take 308208 bytes of shared memory; sm_90a has 232448"):
        memory(replace(kernel(), shared=(huge, shared(OTHER))), ENV)
