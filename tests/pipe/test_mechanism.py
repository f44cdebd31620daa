"""How each copy is executed, and why not otherwise."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Expr, Fn, Lit, Op, Read, Space, Tensor, Var, whole
from croqc.pipe.passes.mechanism import mechanism
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import ACC, DST, OTHER, SRC, TILE, arrive, box, kernel, load, role, shared, slot, store
from tests.pipe.lowering import env_of, only

WHOLE = {"M": 128, "K": 128}
ODD = {"M": 128, "K": 100}  # rows of 200 bytes: 8 divides them, 16 does not


def edge(size: str) -> Fn:
    """How much of 64 elements from the first on there is: `min(max(size - 0, 0), 64)`."""
    return Fn("__min", (Fn("__max", (Var(size), Lit(0)), "s32"), Lit(64)), "s32")


EDGE = edge("M")


def chosen(copy: ir.Copy, sizes: dict[str, int] = WHOLE, arch: str = "sm_90a") -> tuple[ir.Mechanism, int]:
    (done,) = only(mechanism(kernel(copy), env_of(sizes, arch)), ir.Copy)
    assert done.mechanism is not None
    return done.mechanism, done.vector


def refused(copy: ir.Copy, sizes: dict[str, int] = WHOLE, arch: str = "sm_90a") -> str:
    with pytest.raises(LoweringError) as error:
        chosen(copy, sizes, arch)
    return error.value.message


def instead(copy: ir.Copy, sizes: dict[str, int] = WHOLE) -> str:
    """Why threads make a copy that asks for TMA; it is complete at its statement then."""
    (done,) = only(mechanism(kernel(copy), env_of(sizes)), ir.Copy)
    assert done.mechanism in (ir.Mechanism.VECTOR, ir.Mechanism.SCALAR)
    assert (done.is_async, done.completes) == (False, None)
    return done.instead


def test_a_box_of_a_role_is_a_transfer() -> None:
    assert chosen(load())[0] is ir.Mechanism.TMA
    assert chosen(store())[0] is ir.Mechanism.TMA
    assert chosen(load(engine="tma", unit=Unit.BLOCK))[0] is ir.Mechanism.TMA


def test_a_copy_of_the_block_is_spread_over_its_threads() -> None:
    assert chosen(load(Unit.BLOCK)) == (ir.Mechanism.VECTOR, 16)


def test_a_copy_of_the_block_by_which_accumulators_leave_is_a_transfer() -> None:
    """Their tile is what TMA takes; what threads alone have written, what is copied in, and what hardware cannot do
    stays with the threads."""
    leaves = ir.StoreTile(NOWHERE, ACC, Lit(0), whole(TILE))

    def copies(copy: ir.Copy, arch: str = "sm_90a") -> ir.Mechanism | None:
        (done,) = only(mechanism(kernel(role(leaves), copy), env_of(WHOLE, arch)), ir.Copy)
        return done.mechanism

    assert copies(store(Unit.BLOCK)) is ir.Mechanism.TMA
    assert chosen(store(Unit.BLOCK)) == (ir.Mechanism.VECTOR, 16)
    assert copies(store(Unit.BLOCK, source=whole(OTHER))) is ir.Mechanism.VECTOR
    assert copies(store(Unit.BLOCK, is_async=True)) is ir.Mechanism.VECTOR
    assert copies(load(Unit.BLOCK)) is ir.Mechanism.VECTOR
    assert copies(store(Unit.BLOCK, form=ir.Form.TRANSPOSE)) is ir.Mechanism.SCALAR
    assert copies(store(Unit.BLOCK), "sm_80") is ir.Mechanism.VECTOR


def test_an_asynchronous_load_without_tma_is_cp_async() -> None:
    assert chosen(load(Unit.BLOCK, is_async=True), arch="sm_80") == (ir.Mechanism.CP_ASYNC, 16)
    assert chosen(store(Unit.BLOCK, is_async=True), arch="sm_80") == (ir.Mechanism.VECTOR, 16)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("zero_fill", [False, True])
def test_cp_async_takes_tiles_that_may_overhang(arch: str, zero_fill: bool) -> None:
    """Each thread tests its vector, which exists as a whole or not at all."""
    ragged = box(SRC, valid=(EDGE, None))
    copy = load(Unit.BLOCK, is_async=True, source=ragged, zero_fill=zero_fill)
    assert chosen(copy, arch=arch) == (ir.Mechanism.CP_ASYNC, 16)
    anywhere = replace(copy, source=box(SRC, valid=(None, Var("rest"))))
    assert chosen(anywhere, arch=arch) == (ir.Mechanism.SCALAR, 2)  # less than the four bytes that it wants


def test_accesses_are_as_wide_as_rows_are_aligned() -> None:
    assert chosen(load(Unit.BLOCK), ODD) == (ir.Mechanism.VECTOR, 8)
    assert chosen(load(Unit.BLOCK), {"M": 128, "K": 130}) == (ir.Mechanism.VECTOR, 4)
    assert chosen(load(Unit.BLOCK), {"M": 128, "K": 131}) == (ir.Mechanism.SCALAR, 2)
    shifted = box(SRC, Lit(0), Lit(4))
    assert chosen(load(Unit.BLOCK, source=shifted)) == (ir.Mechanism.VECTOR, 8)
    ragged = box(SRC, valid=(None, Var("rest")))  # ends anywhere
    assert chosen(load(Unit.BLOCK, source=ragged)) == (ir.Mechanism.SCALAR, 2)
    clipped = box(SRC, valid=(None, edge("K")))  # ends with the tensor, whose rows are whole vectors
    assert chosen(load(Unit.BLOCK, source=clipped)) == (ir.Mechanism.VECTOR, 16)


@pytest.mark.parametrize("form", [ir.Form.TRANSPOSE, ir.Form.PAD])
def test_rearranging_copies_go_by_elements(form: ir.Form) -> None:
    assert chosen(load(form=form)) == (ir.Mechanism.SCALAR, 2)
    assert refused(load(form=form, engine="tma")).endswith("TMA neither transposes nor pads")


def test_each_reason_why_tma_is_not_possible() -> None:
    assert refused(load(engine="tma"), arch="sm_80").endswith("sm_80 has no TMA")
    assert refused(load(engine="tma"), ODD).endswith("strides of 'src' are not known to be multiples of 16 bytes")
    inside = Tensor("t2", "f16", (Lit(64), Lit(64)), Space.SHARED)
    assert "between global and shared memory only" in refused(load(engine="tma", source=whole(inside)))
    assert "must keep their old values" in instead(load(engine="tma", source=box(SRC, valid=(EDGE, None))))
    assert chosen(load(engine="tma", zero_fill=True, source=box(SRC, valid=(EDGE, None))))[0] is ir.Mechanism.TMA
    assert "its box is not known when compiling" in instead(load(engine="tma", source=whole(SRC)))
    narrow = Tensor("n", "f16", (Lit(64), Lit(4)), Space.GLOBAL)
    small = Tensor("s", "f16", (Lit(64), Lit(4)), Space.SHARED)
    rows = load(engine="tma", source=whole(narrow), dest=whole(small))
    assert "its rows of 8 bytes are no multiple of 16" in refused(rows)


def test_a_store_drops_what_overhangs_by_itself() -> None:
    ragged = box(Tensor("dst", "f16", (Var("M"), Var("K")), Space.GLOBAL), valid=(EDGE, None))
    assert chosen(store(dest=ragged, source=whole(TILE)))[0] is ir.Mechanism.TMA


def test_a_view_that_ends_before_its_tensor_does_is_not_clipped_by_the_hardware() -> None:
    short = box(SRC, valid=(Var("rest"), None))
    assert chosen(load(zero_fill=True, source=short))[0] is not ir.Mechanism.TMA
    assert "ends before 'src' does" in instead(load(engine="tma", zero_fill=True, source=short))
    assert chosen(load(zero_fill=True, source=short)) == (ir.Mechanism.CP_ASYNC, 16)  # a dma copy is what threads make


def test_boxes_fill_whole_rows_of_shared_memory() -> None:
    """TMA writes the rows of a box one behind the other, wherever the rows of the buffer begin."""
    wide = box(Tensor("wide", "f16", (Lit(64), Lit(96)), Space.SHARED))
    assert chosen(load(dest=wide))[0] is not ir.Mechanism.TMA
    half = replace(wide, shape=(Lit(64), Lit(48)))
    source = replace(box(SRC), shape=(Lit(64), Lit(48)))
    assert "a part of the rows of 'wide'" in instead(load(engine="tma", source=source, dest=half))
    deep = box(Tensor("deep", "f16", (Lit(128), Lit(64)), Space.SHARED), Lit(64), Lit(0))
    assert chosen(load(dest=deep))[0] is ir.Mechanism.TMA


@pytest.mark.parametrize(
    ("columns", "at", "taken"),
    [
        pytest.param(64, Lit(64), True, id="the second group"),
        pytest.param(128, Lit(64), True, id="two groups"),
        pytest.param(64, Op("*", (Var("g"), Lit(64))), True, id="any group"),
        pytest.param(64, Lit(32), False, id="halves of two groups"),
        pytest.param(32, Lit(64), False, id="half a group"),
        pytest.param(64, Var("g"), False, id="from anywhere"),
    ],
)
def test_whole_groups_of_columns_lie_without_gaps(columns: int, at: Expr, taken: bool) -> None:
    """Rows of 256 elements of 16 bits are four groups of 64; a `dma` copy has no tensor swizzled for its sake."""
    wide = Tensor("wide", "f16", (Lit(64), Lit(256)), Space.SHARED)
    extents = (Lit(64), Lit(columns))
    copy = load(source=replace(box(SRC), shape=extents), dest=replace(whole(wide), origin=(Lit(0), at), shape=extents))
    assert (chosen(replace(copy, engine="tma"))[0] is ir.Mechanism.TMA) is taken
    assert chosen(copy)[0] is not ir.Mechanism.TMA


def test_rows_of_a_swizzled_buffer_are_as_wide_as_the_swizzle() -> None:
    """Two groups of 32 bytes: row 2 begins at byte 64 of each, row 4 at byte 128."""
    narrow = Tensor("narrow", "f16", (Lit(64), Lit(32)), Space.SHARED)
    start = replace(kernel(), shared=(shared(narrow, 32, 1024),))

    def copied(row: int) -> ir.Mechanism | None:
        tile = replace(whole(narrow), origin=(Lit(row), Lit(0)), shape=(Lit(2), Lit(32)))
        copy = load(engine="tma", source=replace(box(SRC), shape=tile.shape), dest=tile)
        (done,) = only(mechanism(replace(start, body=(copy,)), env_of(WHOLE)), ir.Copy)
        return done.mechanism

    assert copied(4) is ir.Mechanism.TMA
    assert copied(2) is not ir.Mechanism.TMA


def test_a_box_begins_at_a_multiple_of_128_bytes() -> None:
    """f16 rows of 64 are 128 bytes long, rows of 24 are 48."""
    narrow = Tensor("narrow", "f16", (Lit(64), Lit(24)), Space.SHARED)
    source = replace(box(SRC), shape=(Lit(8), Lit(24)), valid=(None, None))
    at = {row: replace(whole(narrow), origin=(row, Lit(0)), shape=(Lit(8), Lit(24))) for row in (Lit(8), Lit(16))}
    assert all(chosen(load(engine="tma", source=source, dest=dest))[0] is ir.Mechanism.TMA for dest in at.values())
    assert "in the middle of 128 bytes of 'narrow'" in instead(
        load(engine="tma", source=source, dest=replace(at[Lit(8)], origin=(Op("*", (Var("k"), Lit(4))), Lit(0))))
    )


def test_rows_run_along_those_of_the_tensor() -> None:
    column = replace(box(SRC), dims=(1, 0))
    assert "do not run along" in instead(load(engine="tma", source=column))


@pytest.mark.parametrize("user", ["read", "written"])
def test_stores_that_the_kernel_itself_uses_are_made_by_its_threads(user: str) -> None:
    """Their order against the threads' own accesses is that of the program; TMA's is not."""
    element = (whole(DST), (Lit(0), Lit(0)))
    uses = {"read": ir.Let(NOWHERE, "x", "f16", Read(*element)), "written": ir.Write(NOWHERE, *element, Lit(1))}
    (done, *_) = only(mechanism(kernel(store(), uses[user]), env_of(WHOLE)), ir.Copy)
    assert done.mechanism is ir.Mechanism.VECTOR


@pytest.mark.parametrize(
    ("shape", "by_dma", "by_tma"),
    [
        pytest.param((512, 64), True, True, id="long columns are cut"),
        pytest.param((1, 512), True, True, id="so is a row"),
        pytest.param((64, 512), False, True, id="rows in groups of columns, where TMA is asked for"),
        pytest.param((64, 264), False, False, id="rows of no whole groups"),
    ],
)
def test_tiles_longer_than_a_box(shape: tuple[int, int], by_dma: bool, by_tma: bool) -> None:
    extents = tuple(map(Lit, shape))
    tile = Tensor("long", "f16", extents, Space.SHARED)
    source = replace(box(SRC), shape=extents, valid=(None, None))
    for engine, fits in (("dma", by_dma), ("tma", by_tma)):
        made = chosen(load(dest=whole(tile), source=source, engine=engine))[0]
        assert (made is ir.Mechanism.TMA) == fits


def test_what_waits_for_a_copy_that_threads_make_waits_for_nothing() -> None:
    short = box(SRC, valid=(Var("rest"), None))
    slow = load(engine="tma", zero_fill=True, source=short, is_async=True, handle="f", completes=slot())
    fast = load(engine="tma", is_async=True, handle="g")
    named = arrive(after=("f", "g"))
    done = mechanism(kernel(slow, fast, named, ir.Await(NOWHERE, ("f",), Unit.GROUP4)), env_of(WHOLE))
    assert [stmt.after for stmt in only(done, ir.Arrive)] == [("g",)]
    assert only(done, ir.Await) == []


@pytest.mark.parametrize("kinds", [("tma", "part"), ("part", "tma")])
def test_handles_that_rotate_hold_transfers_all_or_none(kinds: tuple[str, str]) -> None:
    short = box(SRC, valid=(Var("rest"), None))
    sources = {"tma": box(SRC), "part": short}
    copies = [
        load(engine="tma", zero_fill=True, source=sources[kind], is_async=True, handle=name)
        for name, kind in zip(("f", "g"), kinds, strict=True)
    ]
    body = (*copies, ir.Rotate(NOWHERE, ("f", "g")), ir.Await(NOWHERE, ("f",), Unit.GROUP4))
    start = replace(kernel(*body), handles=(("f", "f_data", 0), ("g", "f_data", 1)))
    done = mechanism(start, env_of(WHOLE))
    assert {copy.mechanism for copy in only(done, ir.Copy)} <= {ir.Mechanism.VECTOR, ir.Mechanism.SCALAR}
    assert only(done, ir.Await) == []


def test_a_tensor_that_may_be_longer_than_tma_counts_is_copied_by_threads() -> None:
    """A product of sizes may pass 2^31. A copy that asks for TMA is checked when it is launched."""
    long = Tensor("long", "f16", (Op("*", (Var("M"), Var("K"))), Lit(64)), Space.GLOBAL)
    source = replace(whole(long), shape=(Lit(64), Lit(64)))
    assert chosen(load(source=source))[0] is not ir.Mechanism.TMA
    assert chosen(load(engine="tma", source=source))[0] is ir.Mechanism.TMA


def test_a_shorter_source_is_bounded_by_its_own_extent() -> None:
    """Threads go over the destination's elements: the rows that the source lacks are told by its bounds."""
    short = replace(box(SRC), shape=(Lit(32), Lit(64)))
    (done,) = only(mechanism(kernel(load(Unit.BLOCK, source=short)), env_of(WHOLE)), ir.Copy)
    assert (done.source.valid, done.vector) == ((Lit(32), None), 16)
    unknown = replace(box(SRC), shape=(Var("n"), Lit(64)))
    (done,) = only(mechanism(kernel(load(Unit.BLOCK, source=unknown)), env_of(WHOLE)), ir.Copy)
    assert done.source.valid == (Var("n"), None)
    (done,) = only(mechanism(kernel(load(Unit.BLOCK)), env_of(WHOLE)), ir.Copy)
    assert done.source.valid == (None, None)
