"""Whether statements do for one tile what others do for the tile of an index (reference, 5.5). Must not rewrite.

    foreach k(1:) { …; dma.copy f0.data => out.chunkat(b, k - 1); … }
    dma.copy f0.data => out.chunkat(b, #k - 1);

are the same work, if the `k` of the loop is taken to be `#k`. Two expressions are alike if their values are the same
under that, or else if their parts are; handles and names that the statements declare themselves stand for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from croqc.refactor.base import Code
from croqc.sema.masks import atoms_of
from croqc.sema.model import Symbol
from croqc.sema.roots import base_name
from croqc.sema.symbolic import Int
from croqc.sema.types import Scalar
from croqc.sema.writes import targets
from croqc.syntax import ast
from croqc.syntax.visit import POSITIONAL, children, walk


def first_difference(
    code: Code,
    pattern: Iterable[ast.Node],
    others: Iterable[ast.Node],
    index: Symbol,
    value: Int,
    handles: Iterable[tuple[Symbol, Symbol]] = (),
) -> ast.Node | None:
    """Where `others` do something else than `pattern` with that value of the index; None where they do the same.

    `handles`: names of the pattern with those that stand for them in the others. Both are of the same length.
    """
    matching = _Matching(code, index, value, dict(handles))
    for one, other in zip(pattern, others, strict=True):
        found = matching.difference(one, other)
        if found is not None:
            return found
    return None


class _Matching:
    def __init__(self, code: Code, index: Symbol, value: Int, known: dict[Symbol, Symbol]) -> None:
        self.code = code
        self.model = code.model
        self.index = index
        self.known = known
        self.atoms = atoms_of(code.model)
        self.env = {atom: value for atom in (index.atom, self.atoms.get(index)) if atom}

    def difference(self, one: ast.Node, other: ast.Node) -> ast.Node | None:
        """The innermost part of `other` that is not alike."""
        view, theirs = self.model.views.get(one), self.model.views.get(other)
        if view is not None and theirs is not None:
            shapes = [[extent.substitute(self.env) for op in view.ops for extent in op.shape]]
            shapes.append([extent for op in theirs.ops for extent in op.shape])
            if shapes[0] != shapes[1]:
                return other
        elif self._same_value(one, other):
            return None
        if isinstance(one, ast.Name) and isinstance(other, ast.Name):
            return None if self._same_name(one, other) else other
        if type(one) is not type(other) or self._words(one) != self._words(other):
            return other
        below, others = children(one), children(other)
        if len(below) != len(others):
            return other
        found = (self.difference(*pair) for pair in zip(below, others, strict=True))
        return next((node for node in found if node is not None), None)

    def _same_value(self, one: ast.Node, other: ast.Node) -> bool:
        ours, theirs = self.model.values.get(one), self.model.values.get(other)
        return ours is not None and theirs is not None and ours.substitute(self.env) == theirs

    def _same_name(self, one: ast.Name, other: ast.Name) -> bool:
        ours, theirs = self.model.uses.get(one), self.model.uses.get(other)
        if ours is None or theirs is None:
            return one.id == other.id
        if ours is self.index:
            return False  # its value is another one, and is compared before
        if ours not in self.known and ours is not theirs and self._local(ours, one) and self._local(theirs, other):
            self.known[ours] = theirs
            self.env |= {atom: Int.of(new) for atom, new in self._atoms(ours, theirs)}
        return self.known.get(ours, ours) is theirs

    def _local(self, symbol: Symbol, name: ast.Name) -> bool:
        """Whether the name stands where its symbol is declared."""
        return symbol.name_span == name.span

    def _atoms(self, ours: Symbol, theirs: Symbol) -> list[tuple[str, str]]:
        pairs = [(ours.atom, theirs.atom), (self.atoms.get(ours) or "", self.atoms.get(theirs) or "")]
        return [(one, other) for one, other in pairs if one and other]

    @staticmethod
    def _words(node: ast.Node) -> list[object]:
        """What a node holds beside nodes and places."""
        names = [name for name in node.__match_args__ if name not in POSITIONAL]
        return [value for name in names if not _holds_nodes(value := getattr(node, name))]


def _holds_nodes(value: object) -> bool:
    return isinstance(value, ast.Node) or (isinstance(value, tuple) and any(_holds_nodes(one) for one in value))


def written_between(code: Code, stmts: Iterable[ast.Node], read: ast.Expr) -> ast.Node | None:
    """The first place in statements that may write what an expression reads: data, or a variable of its coordinates."""
    names = [name for name in walk(read) if isinstance(name, ast.Name)]
    meant = _meant(code, names)
    written = (pair for stmt in stmts for node in walk(stmt) for pair in _written(code, node))
    return next((place for place, names in written if meant & _meant(code, names)), None)


def _written(code: Code, node: ast.Node) -> Iterator[tuple[ast.Node, list[ast.Name]]]:
    """The names that a node itself may write: targets, destinations, and all that a call or C++ is given."""
    match node:
        case ast.Call(args=args):
            yield node, [name for arg in args for name in walk(arg) if isinstance(name, ast.Name)]
        case ast.Asm(outputs=outputs, inputs=inputs):
            operands = (*outputs, *inputs)
            yield node, [name for one in operands for name in walk(one.value) if isinstance(name, ast.Name)]
        case ast.Cpp():
            named = set(code.model.islands.get(node, {}).values())
            yield node, [name for name, symbol in code.model.uses.items() if symbol in named]
        case _:
            yield node, [name for one in targets(node) if (name := base_name(one)) is not None]


def _meant(code: Code, names: Iterable[ast.Name]) -> set[Symbol]:
    """The buffers, parameters and mutable variables behind names."""
    symbols = {symbol for name in names if (symbol := code.model.uses.get(name)) is not None}
    data = {root for symbol in symbols if not isinstance(symbol.type, Scalar) for root in code.roots.of(symbol)}
    return data | {symbol for symbol in symbols if symbol.mutable}
