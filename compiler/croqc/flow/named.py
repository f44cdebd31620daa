"""Whether a name still means what it was given. Must not know stages.

A view keeps its place, though the index or the future that it was made with goes on. The verifier evaluates a view
where it is used, which is right as long as nothing has changed.
"""

from __future__ import annotations

from collections.abc import Iterable

from croqc.sema.foreign_writes import foreign_writes
from croqc.sema.model import Model, Symbol
from croqc.sema.writes import renamed
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.span import Span


class Changes:
    """Where the variables and futures of one kernel change."""

    def __init__(self, model: Model, nodes: Iterable[ast.Node]) -> None:
        self._model = model
        self._places: dict[Symbol, list[Span]] = {}
        self._loops: list[Span] = []
        for node in nodes:
            if isinstance(node, ast.Foreach | ast.While):
                self._loops.append(node.span)
            changed = [symbol for name in renamed(node) if (symbol := model.uses.get(name)) is not None]
            for symbol in (*changed, *foreign_writes(model, node)):
                self._places.setdefault(symbol, []).append(node.span)

    def since(self, value: ast.Node, use: Span) -> Symbol | None:
        """What the defining value of a name depends on and may have changed where the name is used."""
        start = value.span.start
        around = (loop.end for loop in self._loops if start < loop.start <= use.start and use.end <= loop.end)
        reach = max(use.end, *around, use.end)
        for name in walk(value):
            symbol = self._model.uses.get(name) if isinstance(name, ast.Name) else None
            if symbol is not None and any(start <= place.start < reach for place in self._places.get(symbol, ())):
                return symbol
        return None
