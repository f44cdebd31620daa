"""Within which ends the integers of a kernel lie (reference, 3.1). Must not know steps.

What is counted is taken to be small, as the sizes of a launch are: sizes, indices and parameters lie below 2^20, and
loops that move variables by constants make as many turns. From there on all is computed as it is written, and what an
operation comes to beyond its type counts as anything that the type holds. Sums and products of wide signed types are
taken not to leave them: that would be undefined. The same is known of the largest sizes that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from croqc.flow.exprs import COMPARE
from croqc.flow.ranges import ANY, TRUTH, Range, combined, joined, within
from croqc.sema.elements import ELEMENTS, INTEGERS, canonical, common, limits
from croqc.sema.foreign_writes import foreign_writes
from croqc.sema.intervals import bounds
from croqc.sema.masks import atoms_of, defining_value
from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, BoundedTuple, Scalar, Type
from croqc.sema.writes import given
from croqc.syntax import ast

COUNTED = 1 << 20  # sizes and turns of loops are fewer
_LARGEST = limits("s32")[1]  # that an index, a dimension or a number of turns can be
_SEEN = 1 << 10  # turns in which a step that leaves a signed type is taken to be meant so
_ROUNDS = 4  # in which a variable has to come to all that it can hold, or it is anything
_WIDE = 32
_TRUTHS = COMPARE | {"&&", "||", "!"}


def elem_of(type_: Type | None) -> str | None:
    """The type of an integer; an index counts as `s32`. None for all else."""
    match type_:
        case Scalar(elem=elem) if elem in INTEGERS:
            return elem
        case Bounded() | BoundedTuple(bounds=(_,)):
            return "s32"
    return None


def is_narrow(elem: str | None) -> bool:
    return elem is not None and ELEMENTS[elem].bits < _WIDE


def cast_of(node: ast.Builtin) -> str | None:
    """The integer type that `__to<…>(…)` converts to."""
    elem = canonical(node.type_arg) if node.name == "__to" and isinstance(node.type_arg, str) else ""
    return elem if elem in INTEGERS else None


class Extents:
    """Of the expressions of one kernel, of which `nodes` are all nodes. `near`: as of counted numbers; without it they
    are what is made, else the numbers are as large as they can be."""

    def __init__(self, model: Model, nodes: Sequence[ast.Node], near: Extents | None = None) -> None:
        self.model = model
        self._near = near
        self._most = COUNTED if near is None else _LARGEST
        self._known: dict[ast.Node, Range] = {}
        self._held: dict[Symbol, Range] = {}
        self.wrapping: set[Symbol] = set()
        """The variables that are moved on beyond their type."""
        self._atoms: dict[str, Range] = {}
        self._beyond: dict[Symbol, Range] = {}
        self._find_slices(nodes)
        self._known.clear()
        named = sorted(atoms_of(model).items(), key=lambda item: isinstance(item[0].type, Bounded | BoundedTuple))
        for symbol, atom in named:  # what bounds an index comes before it
            self._atoms[atom] = self._of_symbol(symbol)
        self._settle(nodes)

    def type_of(self, node: ast.Node) -> str | None:
        return elem_of(self.model.types.get(node))

    def of(self, node: ast.Node) -> Range:
        """What a node comes to before that is cut to its type."""
        found = self._known.get(node)
        if found is None:
            self._known[node] = self._whole(self.type_of(node))  # of a definition that names itself
            found = self._known[node] = self._of(node)
        return found

    def held(self, node: ast.Node) -> Range:
        """The value of a node."""
        elem = self.type_of(node)
        found = self.of(node)
        if elem is None or within(found, limits(elem)):
            return found
        low, high = limits(elem)
        if self.is_undefined_beyond(node, elem):
            return min(max(found[0], low), high), max(min(found[1], high), low)
        return low, high

    def is_undefined_beyond(self, node: ast.Node, elem: str) -> bool:
        """Whether a node is arithmetic that does not wrap."""
        signed = ELEMENTS[elem].kind == "signed" and not is_narrow(elem)
        return signed and isinstance(node, ast.Binary | ast.Unary) and node.op != "<<"

    def converted(self, node: ast.Node, elem: str | None) -> Range:
        """The value of a node in another type."""
        found = self.held(node)
        return found if elem is None or within(found, limits(elem)) else limits(elem)

    def loses(self, node: ast.Node, elem: str | None) -> bool:
        """Whether a conversion to another type may change the value of a node."""
        if elem is None or self.type_of(node) is None:
            return False
        return not within(self.held(node), limits(elem))

    @staticmethod
    def _whole(elem: str | None) -> Range:
        return ANY if elem is None else limits(elem)

    # --- nodes ------------------------------------------------------------------------------------

    def _of(self, node: ast.Node) -> Range:
        known = self.model.values.get(node)
        if known is not None and known.const is not None and not isinstance(node, ast.Name):
            return known.const, known.const
        match node:
            case ast.Paren(inner=inner):
                return self.held(inner)
            case ast.Name():
                return self._name(node)
            case ast.IncDec(name=name):
                return self._name(name)
            case ast.Unary(op="-" | "~" as op, operand=operand):
                low, high = self.held(operand)
                return (-high, -low) if op == "-" else (-high - 1, -low - 1)
            case ast.Cond(then=then, other=other):
                return joined(*(self.converted(arm, self.type_of(node)) for arm in (then, other)))
            case ast.Unary() | ast.Binary() if node.op in _TRUTHS:
                return TRUTH
            case ast.Binary(op=op, left=left, right=right):
                elem = self.worked_in(node)
                return combined(op, self.converted(left, elem), self.converted(right, elem), self._anything(node))
            case ast.Builtin(name="cdiv", args=(left, right)):
                return combined("cdiv", self.held(left), self.held(right), self._anything(node))
            case ast.Builtin(args=(operand,)) if cast_of(node) is not None and self.type_of(operand) is not None:
                return self.held(operand)
        if known is not None:
            least, most = bounds(known, self._atoms)
            return (-self._most if least is None else least), (self._most if most is None else most)
        return self._whole(self.type_of(node))

    def _anything(self, node: ast.Node) -> Range:
        """More than a type holds, for an operation that is not followed: it is cut."""
        low, high = self._whole(self.type_of(node))
        return low - 1, high + 1

    def worked_in(self, node: ast.Binary) -> str | None:
        """The type in which an operator works; None where its sides are taken as they are."""
        sides = self.type_of(node.left), self.type_of(node.right)
        if None in sides or node.op in ("<<", ">>"):
            return None
        return common(sides[0] or "", sides[1] or "")

    def _name(self, node: ast.Name) -> Range:
        symbol = self.model.uses.get(node)
        value = defining_value(symbol)
        if symbol is None:
            return self._whole(self.type_of(node))
        if value is not None:
            return self.converted(value, elem_of(symbol.type))
        return self._held.get(symbol) or self._of_symbol(symbol)

    def _find_slices(self, nodes: Sequence[ast.Node]) -> None:
        """How far loops over a part of a range (`k(-2:1)`) go below 0 and beyond its end."""
        for node in nodes:
            if isinstance(node, ast.Range):
                below = 0 if node.lo is None else min(self.held(node.lo)[0], 0)
                above = 0 if node.hi is None else max(self.held(node.hi)[1], 0)
                for name in (node.name, node.local):
                    symbol = None if name is None else self.model.uses.get(name)
                    if symbol is not None:
                        self._beyond[symbol] = joined(self._beyond.get(symbol, (0, 0)), (below, above))

    def _of_symbol(self, symbol: Symbol) -> Range:
        """A size, an index, a parameter; what a type holds for all else."""
        elem = elem_of(symbol.type)
        match symbol.type:
            case Bounded(bound=bound) | BoundedTuple(bounds=(bound,)):
                below, above = self._beyond.get(symbol, (0, 0))
                return below, (self._last(bound) if bound.const is None else max(bound.const - 1, 0)) + above
        if symbol.kind is SymbolKind.DIMENSION:
            return 1, self._most
        if symbol.kind is SymbolKind.PARAM and elem is not None:
            low, high = limits(elem)
            return (low, high) if self._near is not None else (max(-COUNTED, low), min(COUNTED, high))
        return self._whole(elem)

    def _last(self, bound: Int) -> int:
        """The largest index below a bound that follows sizes."""
        most = None if self._near is None else bounds(bound, self._atoms)[1]
        return self._most if most is None else min(max(most - 1, 0), self._most)

    # --- variables --------------------------------------------------------------------------------

    def _settle(self, nodes: Sequence[ast.Node]) -> None:
        """What the mutable variables come to, round by round; what does not come to an end is anything."""
        given = [each for each in self._given(nodes) if each[0].mutable and elem_of(each[0].type) is not None]
        handed = {symbol for node in nodes for symbol in foreign_writes(self.model, node)}
        here = set(nodes)
        own = {symbol for symbol, _, _ in given if symbol.decl in here and symbol not in handed}
        self._held = {symbol: (0, 0) if symbol in own else self._whole(elem_of(symbol.type)) for symbol, _, _ in given}
        moves = {symbol: self._moved(symbol, given) for symbol in own}
        rounds, grown = 0, own
        while grown:
            self._known.clear()
            found = {symbol: self._grown(symbol, self._base(symbol, given), moves[symbol]) for symbol in own}
            grown = {symbol for symbol in own if not within(found[symbol], self._held[symbol])}
            rounds += 1
            for symbol in grown:
                anything = self._whole(elem_of(symbol.type))
                self._held[symbol] = joined(self._held[symbol], found[symbol]) if rounds < _ROUNDS else anything
        self._known.clear()

    def _base(self, symbol: Symbol, given: Sequence[tuple[Symbol, str, ast.Node | None]]) -> Range:
        """All that a variable is set to."""
        found: Range = (0, 0)
        elem = elem_of(symbol.type)
        for other, op, value in given:
            if other is not symbol or value is None or self._constant_step(op, value) is not None:
                continue
            if op == "=":
                values = [self.converted(arm, elem) for arm in _arms(value) if self._step(symbol, arm) is None]
            else:
                values = [self._assigned(symbol, op[0], self.held(value))]
            for one in values:
                found = joined(found, one)
        return found

    def _assigned(self, symbol: Symbol, op: str, by: Range) -> Range:
        """What `v *= 3` and its like make of a variable."""
        elem = elem_of(symbol.type) or ""
        low, high = limits(elem)
        made = combined(op, self._held[symbol], by, (low - 1, high + 1))
        if within(made, (low, high)):
            return made
        if ELEMENTS[elem].kind == "signed" and not is_narrow(elem):
            return max(made[0], low), min(made[1], high)
        self.wrapping.add(symbol)
        return low, high

    def _grown(self, symbol: Symbol, base: Range, moved: Range) -> Range:
        """With all the turns in which it is moved."""
        elem = elem_of(symbol.type) or ""
        low, high = limits(elem)
        far = base[0] + self._most * moved[0], base[1] + self._most * moved[1]
        if within(far, (low, high)):
            return far
        soon = base[0] + _SEEN * moved[0], base[1] + _SEEN * moved[1]
        meant = not within(soon, (low, high)) if self._near is None else symbol in self._near.wrapping
        if ELEMENTS[elem].kind == "signed" and not is_narrow(elem) and not meant:
            return max(far[0], low), min(far[1], high)
        self.wrapping.add(symbol)
        return low, high

    def _moved(self, symbol: Symbol, given: Sequence[tuple[Symbol, str, ast.Node | None]]) -> Range:
        """The furthest down and up that one turn moves a variable by constants."""
        steps = [0]
        for other, op, value in given:
            if other is symbol:
                by = self._constant_step(op, value)
                steps += [by] if by is not None else []
                arms = _arms(value) if op == "=" and value is not None else ()
                steps += [step for arm in arms if (step := self._step(symbol, arm)) is not None]
        return min(steps), max(steps)

    def _constant_step(self, op: str, value: ast.Node | None) -> int | None:
        by = 1 if value is None else self._constant(value)
        return None if by is None or op not in ("++", "--", "+=", "-=") else by if op[0] == "+" else -by

    def _step(self, symbol: Symbol, value: ast.Node) -> int | None:
        """`v`, `v + 3` and `v - 3` of a variable `v`."""
        match value:
            case ast.Name() if self.model.uses.get(value) is symbol:
                return 0
            case ast.Binary(op="+" | "-" as op, left=ast.Name() as name, right=right):
                by = self._constant(right)
                if by is not None and self.model.uses.get(name) is symbol:
                    return by if op == "+" else -by
            case ast.Binary(op="+", left=left, right=ast.Name() as name) if self.model.uses.get(name) is symbol:
                return self._constant(left)
        return None

    def _constant(self, node: ast.Node) -> int | None:
        known = self.model.values.get(node)
        return None if known is None else known.const

    def _given(self, nodes: Sequence[ast.Node]) -> Iterator[tuple[Symbol, str, ast.Node | None]]:
        """What each variable is given, and with which operator; None for the 1 of `++` and `--`."""
        for node in nodes:
            found = given(node)
            if found is None or (isinstance(node, ast.ScalarInit) and node.value is None):
                continue
            symbol = self.model.uses.get(found[0])
            if symbol is not None:
                yield symbol, found[1], found[2]


def _arms(value: ast.Node) -> Iterator[ast.Node]:
    """The values that a choice chooses among."""
    match value:
        case ast.Paren(inner=inner):
            yield from _arms(inner)
        case ast.Cond(then=then, other=other):
            yield from _arms(then)
            yield from _arms(other)
        case _:
            yield value
