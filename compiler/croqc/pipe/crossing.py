"""Which global memory a kernel's threads and TMA both work on, so that one has to be told of the other's writes.

Ordinary writes to global memory are seen by a later TMA transfer only behind a proxy fence of that memory, and so is
what a TMA store has written by a TMA load (PTX ISA, async proxy, fence.proxy.async). Must not place fences.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.exprs import Space
from croqc.pipe.tiles import handed_on
from croqc.pipe.transfers import is_load
from croqc.pipe.walk import statements
from croqc.text.record import record


@record
class Crossing:
    """The global tensors that TMA loads (`read`) and those that it stores to (`written`)."""

    read: frozenset[str]
    written: frozenset[str]

    @staticmethod
    def of(kernel: ir.Kernel) -> Crossing:
        found = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Copy)]
        transfers = [copy for copy in found if copy.mechanism is ir.Mechanism.TMA]
        return Crossing(
            frozenset(copy.source.tensor.name for copy in transfers if is_load(copy)),
            frozenset(copy.dest.tensor.name for copy in transfers if not is_load(copy)),
        )

    def writes(self, stmt: ir.Stmt) -> bool:
        """Whether a statement itself writes what a TMA transfer elsewhere has to see."""
        if isinstance(stmt, ir.Copy) and stmt.mechanism is ir.Mechanism.TMA:
            return stmt.dest.tensor.name in self.read
        written = list(handed_on(stmt))
        match stmt:
            case ir.Copy(dest=tile) | ir.StoreTile(dest=tile) | ir.Write(tile=tile):  # an Atomic is a Write
                written.append(tile.tensor)
        return any(self._is_met(tensor.name, tensor.space) for tensor in written)

    def _is_met(self, name: str, space: Space) -> bool:
        return space is Space.GLOBAL and name in self.read | self.written
