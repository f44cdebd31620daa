"""From expressions of the language to those of a step program. Must not know statements.

What the analysis of the function could put into a normal form is taken from there; the rest is followed through
mutable variables. What depends on run-time data becomes an expression that is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from croqc.flow.counting import Counting
from croqc.flow.exprs import Expr, apply, const, floored, unknown, var
from croqc.flow.extents import cast_of
from croqc.flow.lower_widths import Widths
from croqc.flow.program import Program, Size
from croqc.flow.ranges import ANY, TRUTH, Range, compared
from croqc.flow.signature import spell
from croqc.sema.elements import canonical, limits
from croqc.sema.foreign_writes import shared_with_islands
from croqc.sema.masks import UNIT_THREADS, atoms_of, defining_value
from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.sema.symbolic import Int, Part
from croqc.sema.types import Bounded, BoundedTuple, Data, Scalar
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.span import Span

_DEEPEST = 80
_TOWARDS_ZERO = {"quot": "/", "rem": "%"}
_ACTS = (ast.Wait, ast.Trigger, ast.Copy, ast.Mma, ast.MmaLoad, ast.MmaStore, ast.Rotate, ast.Sync, ast.Call, ast.Jump)
_SHIFTS = frozenset(("<<", ">>"))
_WIDEST = 64  # bits of a type
_OPERATORS = frozenset("+-*/%<>&|^") | {"==", "!=", "<=", ">=", "&&", "||", "<<", ">>"}


class Exprs:
    """Expressions of one kernel. Variables are numbered as they are met. `atoms`: the indices of the loops around the
    present place; what means the same everywhere, as sizes do, is kept apart. `counting`: loops whose variable is an
    index; `indices`: those variables, which nothing else names, as of where their loops were met."""

    def __init__(
        self,
        model: Model,
        nodes: Sequence[ast.Node],
        program: Program,
        whiles: Mapping[ast.While, Counting],
        wide: bool,
    ) -> None:
        self.model = model
        self.nodes = frozenset(nodes)
        self.widths = Widths(model, nodes, wide)
        self.program = program
        program.converts = self.widths.converts
        self.atoms: dict[str, Expr] = {}
        self._everywhere: dict[str, Expr] = {}
        self.slots: dict[Symbol, int] = {}
        self._symbols = {atom: symbol for symbol, atom in atoms_of(model).items()}
        self._sizes = _size_atoms(model)
        self._inner = {
            symbol
            for node in nodes
            if isinstance(node, ast.Axis) and model.levels.get(node) in UNIT_THREADS
            for name in node.names
            if (symbol := model.uses.get(name)) is not None
        }
        self.counting = {
            node: each for node, each in whiles.items() if self._follows_sizes(each) and self._is_plain(node, each)
        }
        self.indices: dict[Symbol, Expr] = {}
        self.changing = frozenset(self._changing())
        self._shared = shared_with_islands(model)

    def _follows_sizes(self, counting: Counting) -> bool:
        """Whether sizes, and the block, say where a loop starts and ends; it starts at the block, or at a constant."""
        blocks = {
            atom
            for atom, symbol in self._symbols.items()
            if symbol.kind is SymbolKind.PARALLEL and isinstance(symbol.type, Bounded) and symbol not in self._inner
        }
        starts = all(
            factor > 0 and all(isinstance(atom, str) and atom in blocks for atom in monomial)
            for monomial, factor in counting.first.terms
        )
        return starts and counting.end.names() <= blocks | self._sizes.keys()

    def _is_plain(self, node: ast.While, counting: Counting) -> bool:
        """Whether no width makes a counting loop turn otherwise."""
        first = counting.symbol.decl
        return all(self.widths.is_plain(part) for part in (node.cond, first) if part is not None)

    def new(self, name: str) -> int:
        number = self.program.variables
        self.program.variables += 1
        self.program.names[number] = name
        return number

    # --- values -----------------------------------------------------------------------------------

    def of(self, node: ast.Node, depth: int = 0) -> Expr:
        while isinstance(node, ast.Paren):
            node = node.inner  # however many there are, they mean nothing
        plain = self.widths.is_plain(node)
        value = self.model.values.get(node) if plain else None
        if value is not None and (known := self.of_int(value)) is not None:
            return known
        if depth > _DEEPEST:
            return unknown(node.span, deep=True)
        if isinstance(node, ast.Name):
            return self._name(node, depth)
        found = self._of_parts(node, depth)
        return found if plain else self.widths.held(node, found)

    def _of_parts(self, node: ast.Node, depth: int) -> Expr:
        match node:
            case ast.Const(word="true" | "false" as word):
                return const(int(word == "true"))
            case ast.Unary(op="-" | "!" | "~" as op, operand=operand):
                return apply("neg" if op == "-" else op, self.of(operand, depth + 1))
            case ast.Binary(op=op, left=left, right=right) if op in _OPERATORS:
                sides = self.widths.operands(node, self.of(left, depth + 1), self.of(right, depth + 1))
                return self._combined(op, *sides) if op not in _SHIFTS else _shifted(op, *sides)
            case ast.Cond(test=test, then=then, other=other):
                return apply("?:", *(self.of(part, depth + 1) for part in (test, then, other)))
            case ast.Builtin(name="cdiv", args=(first, second)):
                return apply("cdiv", self.of(first, depth + 1), self.of(second, depth + 1))
            case ast.Builtin(args=(operand,)) if cast_of(node) is not None:
                return self.of(operand, depth + 1)
        return unknown(node.span)

    def _combined(self, op: str, left: Expr, right: Expr) -> Expr:
        """`id == b`, where `id` starts at `b`: whether it is in its first turn. Of a size the ends of its type tell."""
        if (
            op in ("==", "!=")
            and left.op == "+"
            and left in self.indices.values()
            and spell(left.args[0]) == spell(right)
        ):
            return apply(op, left.args[1], const(0))
        first, second = self._lying(left), self._lying(right)
        always = None if first is None or second is None else compared(op, first, second)
        return apply(op, left, right) if always is None else const(int(always))

    def _lying(self, value: Expr) -> Range | None:
        """Between which ends a size or a constant lies."""
        if value.const is not None:
            return value.const, value.const
        return next((each.ends for each in self.program.sizes if value.op == "v" and each.var == value.value), None)

    def _name(self, node: ast.Name, depth: int) -> Expr:
        symbol = self.model.uses.get(node)
        if symbol is None or symbol in self._shared:
            return unknown(node.span)
        if symbol in self.indices:
            return self.indices[symbol]
        if symbol in self.slots:
            return var(self.slots[symbol])
        value = defining_value(symbol)
        if value is not None:
            return self.widths.given(symbol, self.of(value, depth + 1), value)
        known = self.model.values.get(node)
        if known is None and symbol.kind is SymbolKind.PARAM and _is_integer(symbol):
            return self._atom(symbol.atom or symbol.name) or unknown(node.span)
        return (None if known is None else self.of_int(known)) or unknown(node.span)

    def of_int(self, value: Int) -> Expr | None:
        """The same value; None if it speaks of something that is no size and no index."""
        total: Expr | None = None
        for monomial, factor in value.terms:
            term: Expr | None = None
            for atom in monomial:
                part = self._part(atom) if isinstance(atom, Part) else self._atom(atom)
                if part is None:
                    return None
                term = part if term is None else apply("*", term, part)
            if term is None:
                term = const(factor)
            elif factor == -1 and total is not None:
                total = apply("-", total, term)
                continue
            elif factor != 1:
                term = apply("*", const(factor), term)
            total = term if total is None else apply("+", total, term)
        return const(0) if total is None else total

    def _part(self, part: Part) -> Expr | None:
        a, b = self.of_int(part.a), self.of_int(part.b)
        if a is None or b is None:
            return None
        return apply(_TOWARDS_ZERO[part.op], a, b) if part.op in _TOWARDS_ZERO else floored(part.op, a, b)

    def _atom(self, atom: str) -> Expr | None:
        found = self.atoms.get(atom) or self._everywhere.get(atom)
        if found is None and (found := self._free(atom)) is not None:
            self._everywhere[atom] = found
        return found

    def _free(self, atom: str) -> Expr | None:
        """The variable of a size, a block index, an index inside the block, or an index of the host's loops."""
        symbol = self._symbols.get(atom)
        if atom in self._sizes:
            return self._size(atom, self._sizes[atom])
        if symbol is None:
            return None
        if symbol in self._inner:
            number = self.new(symbol.name)
            self.program.placed[symbol] = number
            return var(number)
        if symbol.kind in (SymbolKind.PARALLEL, SymbolKind.LOOP) and isinstance(symbol.type, Bounded):
            if symbol.kind is SymbolKind.LOOP and symbol.decl in self.nodes:
                return None
            return self._size(atom, (0, ANY[1]), self.of_int(symbol.type.bound))
        return None

    def _size(self, atom: str, ends: Range, bound: Expr | None = None) -> Expr:
        number = self.new(atom.partition("'")[0])
        self.program.sizes.append(Size(self.program.names[number], number, max(ends[0], 0), bound, ends))
        return var(number)

    def bound(self, symbol: Symbol) -> Expr | None:
        """The exclusive upper bound of an index."""
        match symbol.type:
            case Bounded(bound=bound) | BoundedTuple(bounds=(bound,)):
                return self.of_int(bound)
        return None

    # --- mutable variables ------------------------------------------------------------------------

    def _changing(self) -> Iterator[Symbol]:
        """Integers and truth values that are assigned in the kernel, and immutable names that follow from them."""
        mutable = {
            symbol
            for symbol in self.model.symbols
            if symbol.mutable and symbol.kind is SymbolKind.VARIABLE and _is_integer(symbol)
        } - {each.symbol for each in self.counting.values()}
        changing = mutable & self._deciding() if mutable else mutable
        while changing:
            following = {
                symbol
                for symbol in self.model.symbols
                if symbol not in changing
                and symbol.kind is SymbolKind.VARIABLE
                and (value := defining_value(symbol)) is not None
                and any(isinstance(name, ast.Name) and self.model.uses.get(name) in changing for name in walk(value))
                and (_is_integer(symbol) or isinstance(symbol.type, Bounded))
            }
            if not following:
                break
            changing |= following
        return iter(changing)

    def slot(self, symbol: Symbol) -> int:
        """The variable of a name that changes."""
        found = self.slots.get(symbol)
        if found is None:
            found = self.slots[symbol] = self.new(symbol.name)
        return found

    def held(self, symbol: Symbol, span: Span) -> Expr:
        """What a name that changes holds; what an island may write at any time is not known."""
        return unknown(span) if symbol in self._shared else var(self.slot(symbol))

    def _deciding(self) -> set[Symbol]:
        """The names that say who does what: in slots, bounds and conditions around something that matters, in what is
        assigned to such names, and in the conditions under which it is."""
        found: set[Symbol] = set()
        following: list[tuple[set[Symbol], ast.Node]] = []  # what decides if one of those names does
        for node in self.nodes:
            match node:
                case ast.Wait() | ast.Trigger() | ast.Copy() | ast.Binding() | ast.Range() | ast.Select():
                    found |= self._symbols_in(node)
                case ast.If(cond=cond) | ast.While(cond=cond) if any(isinstance(each, _ACTS) for each in walk(node)):
                    found |= self._symbols_in(cond)
                case ast.If(cond=cond) | ast.While(cond=cond):
                    following.append((self._assigned_in(node), cond))
                case ast.Chain(suffixes=suffixes):
                    found |= {symbol for suffix in suffixes for symbol in self._symbols_in(suffix)}
                case ast.AssignPart(target=ast.Name() as name, value=value) | ast.ScalarInit(name=name, value=value):
                    if value is not None:
                        following.append((self._symbols_in(name), value))
                case ast.Call(kind="barrier"):
                    found |= self._symbols_in(node)
        grown = True
        while grown:
            before = len(found)
            for targets, source in following:
                if not targets.isdisjoint(found):
                    found |= self._symbols_in(source)
            grown = len(found) > before
        return found

    def _assigned_in(self, node: ast.Node) -> set[Symbol]:
        targets = (each.target for each in walk(node) if isinstance(each, ast.AssignPart))
        symbols = (self.model.uses.get(target) for target in targets if isinstance(target, ast.Name))
        return {symbol for symbol in symbols if symbol is not None}

    def _symbols_in(self, node: ast.Node) -> set[Symbol]:
        symbols = (self.model.uses.get(name) for name in walk(node) if isinstance(name, ast.Name))
        return {symbol for symbol in symbols if symbol is not None}


def defined_at(model: Model, node: ast.Node) -> Span:
    """Where an index is spelled: behind an immutable name, its definition."""
    symbol = model.uses.get(node) if isinstance(node, ast.Name) else None
    value = defining_value(symbol)
    return node.span if value is None else value.span


def _shifted(op: str, value: Expr, by: Expr) -> Expr:
    """By a constant, what it means: how the value goes on as sizes grow is known of products and quotients."""
    if by.const is None or not 0 <= by.const < _WIDEST:
        return apply(op, value, by)
    factor = const(1 << by.const)
    return apply("*", value, factor) if op == "<<" else floored("/", value, factor)


def _is_integer(symbol: Symbol) -> bool:
    return isinstance(symbol.type, Scalar) and symbol.type.elem[0] in "sub" and symbol.type.elem != "bf16"


def _size_atoms(model: Model) -> dict[str, Range]:
    """What the caller chooses, with the least and the largest that it can be: dimensions from 1, parameters of each
    type."""
    found: dict[str, Range] = {}
    atoms = atoms_of(model)
    extent: Range = (1, limits("s32")[1])
    for symbol in model.symbols:
        if symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, Data):
            found |= {atom: extent for size in symbol.type.shape for atom in size.names()}
        elif symbol.kind is SymbolKind.DIMENSION:
            found[symbol.atom or atoms.get(symbol, symbol.name)] = extent
        elif symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, Scalar):
            elem = symbol.type.elem
            found.setdefault(symbol.atom or symbol.name, TRUTH if elem == "bool" else limits(canonical(elem)))
    return found
