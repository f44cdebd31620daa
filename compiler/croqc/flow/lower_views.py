"""What a view of data comes down to: a buffer or a future, behind names, views of views and `select`.

Must not know stages or statements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from croqc.sema.masks import defining_value
from croqc.sema.model import Model, Symbol, SymbolKind, View, ViewOp
from croqc.sema.types import Future
from croqc.syntax import ast
from croqc.text.record import replace

MOST_CHOICES: Final = 256  # buffers that one reference may mean
_MOST_VIEWS = 64  # views that follow from views


@dataclass(frozen=True, slots=True)
class Reference:
    """A data reference down to its root: a buffer or a future."""

    root: Symbol
    slots: tuple[ast.Expr, ...]
    ops: tuple[ViewOp, ...]
    element: tuple[ast.Expr, ...] | None
    named: tuple[ast.Node, ...] = ()  # what defines the names on the way


@dataclass(frozen=True, slots=True)
class Choice:
    """A reference to one of several views; None for an option that is not understood."""

    node: ast.Select
    options: tuple[View | None, ...]
    named: tuple[ast.Node, ...] = ()


class Views:
    """Of one function."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def behind(self, view: View) -> Reference | Choice | None:
        """What a view comes down to: a root, or a `select` of several; None where neither is found."""
        named: tuple[ast.Node, ...] = ()
        for _ in range(_MOST_VIEWS):
            base = view.base
            if base.kind in (SymbolKind.BUFFER, SymbolKind.PARAM, SymbolKind.ANONYMOUS) or isinstance(
                base.type, Future
            ):
                return Reference(base, view.slots, view.ops, view.element, named)
            value = defining_value(base)
            named = named if value is None else (*named, value)
            if isinstance(value, ast.Select):
                inner = [self.model.views.get(option) for option in value.options]
                return Choice(value, tuple(None if one is None else _within(one, view) for one in inner), named)
            found = self.model.views.get(value) if value is not None else None
            if found is None or found.element is not None:
                return None
            view = _within(found, view)
        return None

    def each(self, view: View) -> Iterator[Reference]:
        """Every root that a view may have, of a reasonable number."""
        stack: list[View] = [view]
        looked = 0
        while stack and looked < MOST_CHOICES:
            found = self.behind(stack.pop())
            looked += 1
            if isinstance(found, Reference):
                yield found
            elif found is not None:
                stack += [option for option in found.options if option is not None]


def _within(outer: View, inner: View) -> View:
    """A view of a view, as one of what the outer one is of."""
    return replace(inner, base=outer.base, slots=outer.slots + inner.slots, ops=outer.ops + inner.ops)
