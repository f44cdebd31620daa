"""What of swizzled tensors may be read in another shape (`span_as`): elements, which have an address each.

Instructions that take rows of a tile, such as multiplies and TMA, find them by the layout that the tensor was given for
its own shape. Must not change the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Tile
from croqc.pipe.walk import statements


def check_reshaped(kernel: ir.Kernel) -> None:
    """Raises LoweringError where rows are taken through a view of another shape, if the tensor is swizzled, or with
    strides of its own."""
    swizzled = {item.tensor.name: item.tensor.shape for item in kernel.shared if item.swizzle}
    for stmt in statements(kernel.body):
        for tile in _taken_by_rows(stmt):
            if tile.scales:
                reason = f"this takes rows of '{tile.tensor.name}' through a view with strides of its own"
                raise LoweringError(f"{reason}: copy what it shows to a buffer first", stmt.span)
            shape = swizzled.get(tile.tensor.name)
            if shape is not None and shape != tile.tensor.shape:
                name, own = tile.tensor.name, " x ".join(str(extent) for extent in tile.tensor.extents)
                reason = f"'{name}' is swizzled in its own shape, and this takes rows of it as {own}"
                raise LoweringError(f"{reason}: declare it with that shape, or use it without span_as", stmt.span)


def _taken_by_rows(stmt: ir.Stmt) -> Iterator[Tile]:
    match stmt:
        case ir.Multiply():
            yield from (tile for tile, held in ((stmt.a, stmt.a_registers), (stmt.b, stmt.b_registers)) if not held)
        case ir.Copy(mechanism=ir.Mechanism.TMA):
            yield from (stmt.source, stmt.dest)
        case ir.LoadFragment(tile=tile):
            yield tile
        case ir.StoreTile(by_matrix=True):
            yield stmt.dest
