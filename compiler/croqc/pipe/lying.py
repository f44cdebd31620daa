"""How shared tensors may come to lie, as far as that decides what TMA can copy into them. Must not lay them out.

A swizzled tensor lies in groups of columns as wide as the swizzle, group after group (`sema.tma_boxes`): what is a part
of its rows may still be boxes, if it is whole groups.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.exprs import Tile
from croqc.pipe.facts import Facts
from croqc.pipe.tiles import handed_on, tiles_in
from croqc.pipe.walk import statements
from croqc.sema.tma_boxes import parts, widest_swizzle


class Lying:
    """Answers for one kernel, before its layout."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self._shapes = {item.tensor.name: item.tensor.shape for item in kernel.shared}
        self._swizzles = {item.tensor.name: item.swizzle for item in kernel.shared if item.swizzle}
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

    def swizzle(self, copy: ir.Copy, inside: Tile) -> int:
        """The swizzle that the tensor of a tile has, or may come to have for a copy; 0 for none. Only what asks for TMA
        has a tensor swizzled that no multiply reads."""
        name = inside.tensor.name
        wanted = name in self._operands or (copy.engine == "tma" and name not in self._plain)
        may = wanted and len(inside.tensor.shape) == 2
        return self._swizzles.get(name) or (widest_swizzle(inside.tensor.row_bytes) if may else 0)

    def in_boxes(self, copy: ir.Copy, inside: Tile) -> bool:
        """Whether a tile of whole rows is boxes of TMA as its tensor lies, or may come to lie."""
        extents, swizzled = inside.extents or (), inside.tensor.name in self._swizzles
        if not swizzled and parts(extents, inside.tensor.elem_bytes, 0) is not None:
            return True
        return len(extents) == 2 and self.swizzle(copy, inside) > 0

    def in_groups(self, copy: ir.Copy, inside: Tile, facts: Facts) -> bool:
        """Whether a tile of parts of rows is whole groups of columns as its tensor lies, or may come to lie."""
        width, extents = self.swizzle(copy, inside) // inside.tensor.elem_bytes, inside.extents
        if not width or extents is None or len(extents) != 2:
            return False
        return extents[1] % width == 0 and facts.divides(width, inside.origin[1])
