"""The widths of integers: which values are cut to their type (reference, 3.1). Must not know statements or steps.

A value is cut where it may lie beyond what its type holds, as `extents` has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from croqc.flow.exprs import Expr, cut
from croqc.flow.extents import Extents, cast_of, elem_of
from croqc.flow.ranges import Range, within
from croqc.sema.elements import ELEMENTS, limits
from croqc.sema.masks import defining_value
from croqc.sema.model import Model, Symbol
from croqc.syntax import ast
from croqc.syntax.visit import walk


class Widths:
    """Of the expressions of one kernel, of which `nodes` are all nodes. `wide`: with sizes as large as they can be,
    where that can make a difference."""

    def __init__(self, model: Model, nodes: Sequence[ast.Node], wide: bool = False) -> None:
        self.model = model
        self._extents = Extents(model, nodes)
        self.converts = _converts(model)
        self.wide = wide and self.converts
        if self.wide:
            self._extents = Extents(model, nodes, self._extents)
        self._plain: dict[ast.Node, bool] = {}
        every = (*nodes, *model.types)  # what a name stands for may be written on the host
        cuts = self.converts and any(self._is_cut(node) or self._is_given_less(node) for node in every)
        self._any = cuts or bool(self._extents.wrapping)

    def is_plain(self, node: ast.Node) -> bool:
        """Whether a value is what its normal form, which knows no widths, says: nothing in it is cut."""
        if not self._any:
            return True
        found = self._plain.get(node)
        if found is None:
            self._plain[node] = True  # of a definition that names itself
            found = self._plain[node] = not any(map(self._is_touched, walk(node)))
        return found

    def undefined(self, nodes: Sequence[ast.Node]) -> Iterator[tuple[ast.Node, Range]]:
        """The operations that sizes may take beyond what a signed type holds, with its ends."""
        for node in nodes if self.wide else ():
            elem = self._extents.type_of(node)
            if elem is None or not self._extents.is_undefined_beyond(node, elem):
                continue
            if not within(self._extents.of(node), limits(elem)):
                yield node, limits(elem)

    def _is_touched(self, part: ast.Node) -> bool:
        value = defining_value(self.model.uses.get(part)) if isinstance(part, ast.Name) else None
        return self._is_cut(part) or (value is not None and not self.is_plain(value))

    def _is_cut(self, node: ast.Node) -> bool:
        """Whether an operation or a conversion loses something."""
        match node:
            case ast.Binary(left=left, right=right):
                elem = self._extents.worked_in(node)
                return self._wraps(node) or any(self._extents.loses(side, elem) for side in (left, right))
            case ast.Unary():
                return self._wraps(node)
            case ast.Builtin(args=(operand,)) if cast_of(node) is not None:
                return self._extents.loses(operand, cast_of(node))
            case ast.Name():
                symbol = self.model.uses.get(node)
                value = defining_value(symbol)
                return symbol is not None and value is not None and self._extents.loses(value, elem_of(symbol.type))
        return False

    def _is_given_less(self, node: ast.Node) -> bool:
        """Whether a variable does not hold all of what it is given."""
        match node:
            case ast.AssignPart(target=ast.Name() as name, value=value) | ast.ScalarInit(name=name, value=value):
                symbol = self.model.uses.get(name)
                return symbol is not None and value is not None and self._extents.loses(value, elem_of(symbol.type))
        return False

    def _wraps(self, node: ast.Node) -> bool:
        elem = self._extents.type_of(node)
        if elem is None or self._extents.is_undefined_beyond(node, elem):
            return False
        return not within(self._extents.of(node), limits(elem))

    # --- values ----------------------------------------------------------------------------------

    def held(self, node: ast.Node, value: Expr) -> Expr:
        """What an operation comes to, cut to its type."""
        return _cut(value, self._extents.type_of(node)) if self._wraps(node) else value

    def operands(self, node: ast.Binary, left: Expr, right: Expr) -> tuple[Expr, Expr]:
        """Both sides of an operator, in the type in which it works."""
        if not self._any:
            return left, right
        elem = self._extents.worked_in(node)
        return self._converted(node.left, left, elem), self._converted(node.right, right, elem)

    def given(self, symbol: Symbol, value: Expr, node: ast.Node) -> Expr:
        """What a variable holds that is given the value of a node."""
        return self._converted(node, value, elem_of(symbol.type)) if self._any else value

    def moved(self, symbol: Symbol, value: Expr) -> Expr:
        """What a variable holds that is moved on."""
        return _cut(value, elem_of(symbol.type)) if symbol in self._extents.wrapping else value

    def _converted(self, node: ast.Node, value: Expr, elem: str | None) -> Expr:
        return _cut(value, elem) if self._extents.loses(node, elem) else value


def _converts(model: Model) -> bool:
    """Whether a function has more than indices and their like, which are taken not to leave their type."""
    return any(
        elem_of(type_) not in (None, "s32") or (isinstance(node, ast.Binary) and node.op == "<<")
        for node, type_ in model.types.items()
    )


def _cut(value: Expr, elem: str | None) -> Expr:
    if elem is None:
        return value
    row = ELEMENTS[elem]
    return cut(value, row.bits if row.kind == "unsigned" else -row.bits)
