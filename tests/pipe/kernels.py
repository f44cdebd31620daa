"""Small kernels for the passes, as IR by hand."""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Held, Lit, Space, Tensor, Tile, Var, whole
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE

SRC = Tensor("src", "f16", (Var("M"), Var("K")), Space.GLOBAL)
DST = Tensor("dst", "f16", (Var("M"), Var("K")), Space.GLOBAL)
TILE = Tensor("tile", "f16", (Lit(64), Lit(64)), Space.SHARED)
OTHER = Tensor("other", "f16", (Lit(64), Lit(64)), Space.SHARED)
FULL = ir.Event("full", 2, (1, 1), False, NOWHERE)


def shared(tensor: Tensor, swizzle: int = 0, alignment: int = 16) -> ir.Shared:
    return ir.Shared(tensor, 64 * 64 * 2, NOWHERE, swizzle, alignment)


def kernel(*body: ir.Stmt, events: tuple[ir.Event, ...] = (FULL,), passed: tuple[str, ...] = ()) -> ir.Kernel:
    return ir.Kernel(
        name="k",
        span=NOWHERE,
        grid=(Lit(1),),
        grid_names=("b",),
        threads=256,
        indices=(ir.Index("w", 128, 2),),
        tensors=(SRC, DST),
        sources=("src", "dst"),
        scalars=(("M", "s32"), ("K", "s32")),
        shared=(shared(TILE), shared(OTHER)),
        locals=(),
        events=events,
        accumulators=(),
        handles=(),
        body=body,
        passed=passed,
    )


def box(tensor: Tensor, *origin: Expr, valid: tuple[Expr | None, ...] = (None, None)) -> Tile:
    """64 x 64 elements of a tensor."""
    return replace(whole(tensor), origin=origin or (Lit(0), Lit(0)), shape=(Lit(64), Lit(64)), valid=valid)


def load(unit: Unit = Unit.GROUP4, **more: object) -> ir.Copy:
    """A synchronous copy from global to shared memory."""
    made = ir.Copy(NOWHERE, box(SRC), whole(TILE), ir.Form.COPY, unit, "dma", False)
    return replace(made, **more)


def store(unit: Unit = Unit.GROUP4, **more: object) -> ir.Copy:
    made = ir.Copy(NOWHERE, whole(TILE), box(DST), ir.Form.COPY, unit, "dma", False)
    return replace(made, **more)


def write(tensor: Tensor = TILE) -> ir.Write:
    return ir.Write(NOWHERE, whole(tensor), (Lit(0), Lit(0)), Lit(1.0, "f16"))


def slot(at: int = 0) -> ir.SlotRef:
    return ir.SlotRef("full", Lit(at))


def arrive(unit: Unit = Unit.GROUP4, **more: object) -> ir.Arrive:
    return replace(ir.Arrive(NOWHERE, slot(), unit), **more)


def multiply(**more: object) -> ir.Multiply:
    acc = ir.Accumulator("acc", "f32", 64, 64, Unit.GROUP4)
    made = ir.Multiply(
        NOWHERE, acc, Lit(0), whole(TILE), whole(OTHER), True, True, ir.Instruction.WGMMA, 64, 64, 64, 16
    )  # fmt: skip
    return replace(made, **more)


ACC = ir.Accumulator("acc", "f32", 64, 64, Unit.GROUP4)
VECTOR = ir.Accumulator("rows", "f32", 64, 1, Unit.GROUP4, vector=True, spread=None)


def held(tile: ir.Accumulator = ACC, *index: Expr, register: Expr | None = None) -> Held:
    return Held(tile.name, tile.elem, Lit(0), index or (Var("i"), Var("j")), register)


def visit(*body: ir.Stmt, acc: ir.Accumulator = ACC) -> ir.Visit:
    """`apply {i, j} in acc.span`, or `{i}` in a vector's."""
    return ir.Visit(NOWHERE, acc, Lit(0), ("i",) if acc.vector else ("i", "j"), "r", body)


def put(element: Held, value: Expr) -> ir.Put:
    return ir.Put(NOWHERE, element, value)


def role(*body: ir.Stmt, path: str = "path w == 0", unit: Unit = Unit.GROUP4) -> ir.Role:
    """A path of one warpgroup, whose number ends its name."""
    return ir.Role(NOWHERE, path, Var("w"), body, unit, 128, (int(path[-1]),))
