"""Which threads of a block take part in what stands under a condition, where their indices alone decide it.

Must not know steps. Paths part by the conditions of regions; inside a path all threads run the same statements, but for
these.
"""

from __future__ import annotations

from croqc.sema.masks import Mask, Masks
from croqc.sema.model import Kernel, Model
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind


class Taking:
    """Answers for one kernel."""

    def __init__(self, model: Model, kernel: Kernel) -> None:
        self.model = model
        self.masks = None if kernel.threads is None else Masks(model, kernel.node, kernel.threads)
        placed = () if self.masks is None else self.masks.placements
        self.atoms = {item.symbol.atom for item in placed if item.symbol is not None}

    def within(self, outer: Mask | None, cond: ast.Node, holds: bool = True) -> Mask | None:
        """Of the threads `outer` (None: all) those for which a condition holds, or does not: the same ones in every
        block, turn and size, else `outer`."""
        mask = self.masks.of(cond) if self.masks is not None and self._is_of_threads(cond) else None
        if mask is None or self.masks is None:
            return outer
        own = mask if holds else self.masks.whole() & ~mask
        return own if outer is None else outer & own

    def decides(self, cond: ast.Node) -> bool:
        """Whether it is known for which threads a condition holds."""
        return self.masks is not None and self._is_of_threads(cond) and self.masks.of(cond) is not None

    def _is_of_threads(self, cond: ast.Node) -> bool:
        for name in nodes_of_kind(cond, ast.Name):
            value = self.model.values.get(name)
            if value is None or not set(value.names()) <= self.atoms:
                return False
        return True
