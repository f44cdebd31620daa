"""How shared tensors may come to lie, as far as that decides what TMA can copy into them. Must not lay them out."""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.exprs import Tile
from croqc.pipe.tiles import handed_on, tiles_in
from croqc.pipe.walk import statements
from croqc.sema.tma_boxes import parts, widest_swizzle


class Lying:
    """Answers for one kernel, before its layout."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self._shapes = {item.tensor.name: item.tensor.shape for item in kernel.shared}
        self._swizzled = {item.tensor.name for item in kernel.shared if item.swizzle}
        self._operands: set[str] = set()
        self._plain: set[str] = set()  # whose rows somebody takes for granted
        for stmt in statements(kernel.body):
            self._plain |= {tensor.name for tensor in handed_on(stmt)}
            self._plain |= {tile.tensor.name for tile in tiles_in(stmt) if self._is_reshaped(tile)}
            if isinstance(stmt, ir.Multiply):
                sides = ((stmt.a, stmt.a_registers), (stmt.b, stmt.b_registers))
                self._operands |= {tile.tensor.name for tile, held in sides if not held}

    def _is_reshaped(self, tile: Tile) -> bool:
        return self._shapes.get(tile.tensor.name, tile.tensor.shape) != tile.tensor.shape

    def in_boxes(self, copy: ir.Copy, inside: Tile) -> bool:
        """Whether a tile of whole rows is boxes of TMA as its tensor lies, or may come to lie: swizzled, its rows are
        column groups. Only what asks for TMA has a tensor swizzled that no multiply reads."""
        name, extents = inside.tensor.name, inside.extents or ()
        if name in self._swizzled and len(extents) != 2:
            return False
        if name in self._swizzled or parts(extents, inside.tensor.elem_bytes, 0) is not None:
            return True
        wanted = name in self._operands or (copy.engine == "tma" and name not in self._plain)
        return wanted and len(extents) == 2 and widest_swizzle(inside.tensor.row_bytes) > 0
