"""Stages of stores: panels that take turns in two buffers, on kernels by hand."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Lit, Op, Space, Tensor, Var, whole
from croqc.pipe.passes.epilogue import epilogue
from croqc.pipe.printer import expression
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.gpu.cases import COVERAGE
from tests.pipe.kernels import TILE, box, kernel, load, role
from tests.pipe.lowering import EXAMPLES, after, env_of, only

ENV = env_of({"M": 512, "K": 512})
DST = Tensor("out", "f16", (Lit(512), Lit(512)), Space.GLOBAL)
LIMIT = 232448  # bytes of a block, of which epilogue leaves 1024 for barriers


def store(columns: int) -> ir.StoreTile:
    acc = ir.Accumulator("acc", "f32", 64, columns, Unit.GROUP4)
    place = replace(box(DST), shape=(Lit(64), Lit(columns)))
    return ir.StoreTile(NOWHERE, acc, Lit(0), place)


def done(columns: int, left: int = LIMIT) -> ir.Kernel:
    """The kernel of one warpgroup with `left` bytes of shared memory for stages."""
    taken = replace(kernel().shared[0], bytes=LIMIT - 1024 - left)
    start = replace(kernel(role(store(columns))), shared=(taken,) if taken.bytes > 0 else ())
    return epilogue(start, ENV)


@pytest.mark.parametrize(
    ("columns", "slots", "keeps"),
    [
        (64, ["0"], [0, 0]),
        (128, ["0", "1"], [1, 1, 0]),
        (192, ["0", "1", "0"], [0, 1, 1, 0]),  # the next tile's first panel follows one in the same buffer
        (256, ["0", "1", "0", "1"], [1, 1, 1, 1, 0]),
    ],
)
def test_panels_take_turns(columns: int, slots: list[str], keeps: list[int]) -> None:
    """The last wait is the role's own, for all that is under way."""
    kernel = done(columns)
    assert [expression(copy.source.slot) for copy in only(kernel, ir.Copy)] == slots
    assert [wait.keep for wait in only(kernel, ir.StoresRead)] == keeps
    assert [part.first for part in only(kernel, ir.StoreTile)] == list(range(0, columns, 64))
    (stage,) = (item for item in kernel.shared if item.tensor.name == "acc_stage")
    assert (stage.tensor.slots, stage.bytes) == (min(len(slots), 2), 64 * 64 * 2)


def test_one_buffer_where_two_do_not_fit() -> None:
    kernel = done(128, left=8192)
    assert [expression(copy.source.slot) for copy in only(kernel, ir.Copy)] == ["0", "0"]
    assert [wait.keep for wait in only(kernel, ir.StoresRead)] == [0, 0, 0]


def test_no_stage_where_none_fits() -> None:
    assert only(done(128, left=8191), ir.Copy) == []


@pytest.mark.parametrize("left", [-1, -64, -1024])
def test_no_stage_in_a_block_that_leaves_nothing(left: int) -> None:
    """The kernel's own tensors may take what is kept for barriers, up to the limit."""
    kernel = done(128, left=left)
    assert [item.tensor.name for item in kernel.shared] == ["tile"]
    assert only(kernel, ir.Copy) == []


def test_each_warpgroup_has_two_of_its_own() -> None:
    both = replace(role(store(128)), groups=(1, 2))
    kernel_of_two = epilogue(replace(kernel(both), shared=()), ENV)
    slots = [expression(copy.source.slot) for copy in only(kernel_of_two, ir.Copy)]
    assert slots == ["(warpgroup() - 1) * 2", "(warpgroup() - 1) * 2 + 1"]
    assert [item.tensor.slots for item in kernel_of_two.shared] == [4]


def test_the_tile_that_leaves_is_the_one_that_was_written() -> None:
    """Panel for panel: columns of the accumulator, buffer, columns of the tensor."""
    kernel = done(128)
    parts, copies = only(kernel, ir.StoreTile), only(kernel, ir.Copy)
    assert [part.dest for part in parts] == [whole(copy.source.tensor, copy.source.slot) for copy in copies]
    assert [expression(copy.dest.origin[1]) for copy in copies] == ["0", "64"]


def test_stores_of_a_role_share_a_stage_where_no_room_is_left() -> None:
    """Of two tiles of 64 x 128 halves the second goes through the buffers of the first, where two is all there are."""
    place = replace(store(128).dest, origin=(Lit(64), Lit(0)))
    low = replace(store(128), acc=replace(store(128).acc, name="low"), dest=place)
    taken = replace(kernel().shared[0], bytes=LIMIT - 1024 - 2 * 8192)
    made = epilogue(replace(kernel(role(store(128), low)), shared=(taken,)), ENV)
    copies = only(made, ir.Copy)
    assert [copy.source.tensor.name for copy in copies] == ["acc_stage"] * 4
    assert [expression(copy.source.slot) for copy in copies] == ["0", "1", "0", "1"]
    assert [wait.keep for wait in only(made, ir.StoresRead)] == [1, 1, 1, 1, 0]
    assert [part.acc.name for part in only(made, ir.StoreTile)] == ["acc", "acc", "low", "low"]


@pytest.mark.parametrize("other", ["another role", "a narrower tile"])
def test_stores_that_differ_share_no_stage(other: str) -> None:
    taken = replace(kernel().shared[0], bytes=LIMIT - 1024 - 2 * 8192)
    second = store(64) if other == "a narrower tile" else store(128)
    roles = (role(store(128), second),)
    if other == "another role":
        roles = (role(store(128)), role(second, path="path w == 1"))
    made = epilogue(replace(kernel(*roles), shared=(taken,)), ENV)
    assert len(only(made, ir.Copy)) == 2
    assert only(made, ir.StoreTile)[-1].dest.tensor == DST


def waits(*body: ir.Stmt) -> list[tuple[int, bool]]:
    """How many transfers each wait leaves in flight, and whether it is for what they write."""
    return [(wait.keep, wait.written) for wait in only(epilogue(kernel(role(*body)), ENV), ir.StoresRead)]


def test_a_tile_that_is_stored_again_has_been_written_before() -> None:
    again = replace(store(128), acc=replace(store(128).acc, name="low"))
    assert waits(store(128), again) == [(1, False), (1, False), (0, True), (1, False), (0, False)]


def test_a_loop_waits_once_a_turn_for_all_that_it_has_written() -> None:
    """Nothing says that the tiles of two turns differ; those of one turn do."""
    place = replace(
        store(128).dest,
        origin=(
            Op(
                "*",
                (
                    Var("i"),
                    Lit(64),
                ),
                "s32",
            ),
            Lit(0),
        ),
    )
    beside = replace(place, origin=(place.origin[0], Lit(128)))
    tiles = replace(store(128), dest=place), replace(store(128), dest=beside)
    let = ir.Let(NOWHERE, "i", "s32", Op("/", (Var("t"), Lit(2)), "s32"))
    turns = ir.Loop(NOWHERE, "t", Lit(0), Lit(8), Lit(1), (let, *tiles))
    assert waits(turns) == [(0, True), (1, False), (1, False), (1, False), (0, False)]


def test_a_loop_whose_tiles_certainly_differ_does_not() -> None:
    place = replace(store(128).dest, origin=(Op("*", (Var("t"), Lit(64)), "s32"), Lit(0)))
    turns = ir.Loop(NOWHERE, "t", Lit(0), Lit(8), Lit(1), (replace(store(128), dest=place),))
    assert waits(turns) == [(1, False), (1, False), (0, False)]


def test_what_copies_store_to_has_no_stage() -> None:
    """Nothing would wait between the panels and the copy."""
    copy = replace(load(), source=whole(TILE), dest=store(128).dest)
    assert waits(store(128), copy) == []


def test_a_tile_that_the_block_copies_out_behind_its_roles_leaves_by_stmatrix_and_tma() -> None:
    text = (COVERAGE / "leaving.co").read_text(encoding="utf-8")
    made = after("memory", text, {"M": 200, "N": 72, "K": 128})
    (stored,) = only(made, ir.StoreTile)
    assert (stored.by_matrix, stored.columns) == (True, 64)
    *_, copy, wait = made.body
    assert isinstance(copy, ir.Copy) and (copy.mechanism, copy.unit) == (ir.Mechanism.TMA, Unit.BLOCK)
    assert isinstance(wait, ir.StoresRead) and wait.unit is Unit.BLOCK
    (out,) = (item for item in made.shared if item.tensor.name == "out_s")
    assert (out.swizzle, out.alignment) == (128, 1024)
    assert any(isinstance(stmt, ir.Sync) and stmt.publishes for stmt in made.body)


def test_on_a_target_without_tma_the_block_copies_its_tile_itself() -> None:
    text = (EXAMPLES / "swap_f16.co").read_text(encoding="utf-8")
    made = after("memory", text, {"M": 64, "N": 64, "K": 128}, "sm_80")
    assert not any(stored.by_matrix for stored in only(made, ir.StoreTile))
    assert only(made, ir.Copy)[-1].mechanism is ir.Mechanism.VECTOR
