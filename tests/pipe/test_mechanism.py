"""How each copy is executed, and why not otherwise."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Fn, Lit, Read, Space, Tensor, Var, whole
from croqc.pipe.passes.mechanism import mechanism
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import DST, SRC, TILE, box, kernel, load, store
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


def test_a_box_of_a_role_is_a_transfer() -> None:
    assert chosen(load())[0] is ir.Mechanism.TMA
    assert chosen(store())[0] is ir.Mechanism.TMA
    assert chosen(load(engine="tma", unit=Unit.BLOCK))[0] is ir.Mechanism.TMA


def test_a_copy_of_the_block_is_spread_over_its_threads() -> None:
    assert chosen(load(Unit.BLOCK)) == (ir.Mechanism.VECTOR, 16)


def test_an_asynchronous_load_without_tma_is_cp_async() -> None:
    assert chosen(load(Unit.BLOCK, is_async=True), arch="sm_80") == (ir.Mechanism.CP_ASYNC, 16)
    assert chosen(store(Unit.BLOCK, is_async=True), arch="sm_80") == (ir.Mechanism.VECTOR, 16)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("zero_fill", [False, True])
def test_cp_async_takes_no_tile_that_may_overhang(arch: str, zero_fill: bool) -> None:
    """It tests no bounds: rows behind the tensor's last would be read."""
    ragged = box(SRC, valid=(EDGE, None))
    copy = load(Unit.BLOCK, is_async=True, source=ragged, zero_fill=zero_fill)
    assert chosen(copy, arch=arch) == (ir.Mechanism.VECTOR, 16)


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
    assert "must keep their old values" in refused(load(engine="tma", source=box(SRC, valid=(EDGE, None))))
    assert chosen(load(engine="tma", zero_fill=True, source=box(SRC, valid=(EDGE, None))))[0] is ir.Mechanism.TMA
    assert "its box is not known when compiling" in refused(load(engine="tma", source=whole(SRC)))
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
    assert "ends before 'src' does" in refused(load(engine="tma", zero_fill=True, source=short))


def test_boxes_fill_whole_rows_of_shared_memory() -> None:
    """TMA writes the rows of a box one behind the other, wherever the rows of the buffer begin."""
    wide = box(Tensor("wide", "f16", (Lit(64), Lit(128)), Space.SHARED))
    assert chosen(load(dest=wide))[0] is not ir.Mechanism.TMA
    assert "a part of the rows of 'wide'" in refused(load(engine="tma", dest=wide))
    deep = box(Tensor("deep", "f16", (Lit(128), Lit(64)), Space.SHARED), Lit(64), Lit(0))
    assert chosen(load(dest=deep))[0] is ir.Mechanism.TMA


def test_rows_run_along_those_of_the_tensor() -> None:
    column = replace(box(SRC), dims=(1, 0))
    assert "do not run along" in refused(load(engine="tma", source=column))


@pytest.mark.parametrize("user", ["read", "written"])
def test_stores_that_the_kernel_itself_uses_are_made_by_its_threads(user: str) -> None:
    """Their order against the threads' own accesses is that of the program; TMA's is not."""
    element = (whole(DST), (Lit(0), Lit(0)))
    uses = {"read": ir.Let(NOWHERE, "x", "f16", Read(*element)), "written": ir.Write(NOWHERE, *element, Lit(1))}
    (done, *_) = only(mechanism(kernel(store(), uses[user]), env_of(WHOLE)), ir.Copy)
    assert done.mechanism is ir.Mechanism.VECTOR


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
