"""Pass layout: how each shared tensor lies in memory, so that copies and multiplies agree, and the tensor maps.

Operands of multiplies lie in one of the hardware's swizzles: the one that the source asks for, else the widest of 128,
64 and 32 bytes whose multiple a row is. Rows wider than the swizzle are split into column groups, stored group after
group (reference, 5.5 and 5.6). What multiplies store and TMA takes out again is swizzled as well: it spares bank
conflicts. So are tensors whose rows are longer than a box of TMA: column groups are boxes, parts of rows are not.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Tensor
from croqc.pipe.ir_declared import SWIZZLED
from croqc.pipe.tiles import handed_on
from croqc.pipe.transfers import sides
from croqc.pipe.walk import rewrite, statements
from croqc.sema.tma_boxes import parts, widest_swizzle
from croqc.text.record import replace
from croqc.text.span import Span

_TMA, _PLAIN = 128, 16  # alignments in bytes
_NARROWEST = 32  # bytes of a row of the narrowest swizzle


def layout(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    uses = _Uses(kernel)
    shared = tuple(_laid_out(item, uses) for item in kernel.shared)
    swizzles = {item.tensor.name: item.swizzle for item in shared}
    maps: list[ir.TensorMap] = []
    body = rewrite(kernel.body, lambda stmt: (_mapped(stmt, swizzles, maps),))
    return replace(kernel, shared=shared, body=body, maps=tuple(maps))


class _Uses:
    """What happens to each shared tensor."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.operands: dict[str, Span] = {}
        self.stored: set[str] = set()
        self.transferred: set[str] = set()
        self.wide: set[str] = set()  # whose tiles are no boxes as rows behind rows
        self.handed_on: dict[str, Span] = {}
        for stmt in statements(kernel.body):
            self.handed_on |= {tensor.name: stmt.span for tensor in handed_on(stmt)}
            if isinstance(stmt, ir.Multiply):
                read = ((stmt.a, stmt.a_registers), (stmt.b, stmt.b_registers))
                self.operands.update({tile.tensor.name: stmt.span for tile, held in read if not held})
            elif isinstance(stmt, ir.StoreTile):
                self.stored.add(stmt.dest.tensor.name)
            elif isinstance(stmt, ir.Copy) and stmt.mechanism is ir.Mechanism.TMA:
                self.transferred |= {tile.tensor.name for tile in (stmt.source, stmt.dest)}
                _, inside = sides(stmt)
                whole = inside.shape[1:] == inside.tensor.shape[1:]
                if not whole or parts(inside.extents or (), inside.tensor.elem_bytes, 0) is None:
                    self.wide.add(inside.tensor.name)


def _laid_out(item: ir.Shared, uses: _Uses) -> ir.Shared:
    name, swizzle = item.tensor.name, item.swizzle
    width, flat = item.tensor.row_bytes, len(item.tensor.shape) == 2
    if name in uses.operands:
        swizzle = swizzle or widest_swizzle(width)
        if not swizzle:
            raise LoweringError(_too_narrow(item.tensor), uses.operands[name])
    elif not swizzle and flat and name in (uses.stored & uses.transferred - uses.handed_on.keys()) | uses.wide:
        swizzle = widest_swizzle(width)
    if swizzle and name in uses.handed_on:
        reason = f"'{name}' is swizzled, and a device function would see its rows permuted"
        raise LoweringError(f"{reason}: copy it to a buffer of its own", uses.handed_on[name])
    if swizzle and not flat:
        raise LoweringError(f"'{name}' is swizzled and has {len(item.tensor.shape)} dimensions: give it two", item.span)
    if swizzle and width % swizzle:
        reason = f"rows of '{name}' are {width} bytes, no multiple of the swizzle of {swizzle}"
        raise LoweringError(f"{reason}: use a narrower swizzle or longer rows", item.span)
    alignment = SWIZZLED if swizzle else _TMA if name in uses.transferred else _PLAIN
    return replace(item, swizzle=swizzle, alignment=alignment)


def _too_narrow(tensor: Tensor) -> str:
    """Of an operand whose rows fill no swizzle: those of 8, 24, 40, … columns of 16 bits, where it lies across K."""
    width, extents = tensor.row_bytes, ", ".join(map(str, tensor.extents))
    columns = (width // _NARROWEST + 1) * _NARROWEST // tensor.elem_bytes
    view = f"{tensor.name}.view({extents}).from({', '.join('0' for _ in tensor.extents)})"
    return (
        f"rows of '{tensor.name}' are {width} bytes; a multiply reads shared rows of a multiple of {_NARROWEST}: "
        f"give it {columns} columns, and use '{view}', copied with '.swiz<{_NARROWEST}>'"
    )


# --- tensor maps -------------------------------------------------------------------------------


def _mapped(stmt: ir.Stmt, swizzles: dict[str, int], maps: list[ir.TensorMap]) -> ir.Stmt:
    if not isinstance(stmt, ir.Copy) or stmt.mechanism is not ir.Mechanism.TMA:
        return stmt
    outside, inside = sides(stmt)
    swizzle = swizzles[inside.tensor.name]
    found = []
    for part in parts(outside.extents or (), outside.tensor.elem_bytes, swizzle) or ():
        box = [1] * len(outside.tensor.shape)
        for axis, extent in zip(outside.dims, part.box, strict=True):
            box[axis] = extent
        made = ir.TensorMap(outside.tensor, tuple(reversed(box)), swizzle)
        if made not in maps:
            maps.append(made)
        found.append(ir.Box(maps.index(made), part.at))
    return replace(stmt, boxes=tuple(found))
