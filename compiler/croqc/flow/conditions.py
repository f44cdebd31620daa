"""What conditions over indices say before anything runs. Must not know loops, paths or slots.

A condition that indices do not decide has no truth value here; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from croqc.sema.masks import defining_value
from croqc.sema.model import Model, SymbolKind
from croqc.sema.nesting import in_else
from croqc.sema.symbolic import Int, Part
from croqc.syntax import ast
from croqc.syntax.visit import walk

_MAX_DEPTH = 80  # conditions nested deeper count as undecided
_SIZE = "'size"  # behind a quotient of sizes as an atom
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")

Env = Mapping[str, Int]


class Conditions:
    """Of one function."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._sizes = {symbol.atom or symbol.name for symbol in model.symbols if symbol.kind is SymbolKind.DIMENSION}

    def opened(self, value: Int) -> Int:
        """A value with quotients of sizes as atoms of their own: no index decides anything in them."""
        return value.opened(self._quotient) if any(isinstance(atom, Part) for atom in value.atoms()) else value

    def _quotient(self, part: Part) -> Int | None:
        of_sizes = part.op in ("/", "cdiv") and (part.b.const or 0) > 0 and part.a.names() <= self._sizes
        return Int.of(f"{part.key}{_SIZE}") if of_sizes else None

    def is_size(self, atom: str) -> bool:
        """Whether an atom can be any number from 0 on, whatever the indices are."""
        return atom in self._sizes or atom.endswith(_SIZE)

    def definition(self, node: ast.Node) -> ast.Node | None:
        """What defines an immutable name."""
        return defining_value(self.model.uses.get(node)) if isinstance(node, ast.Name) else None

    def truth(self, cond: ast.Node, env: Env, depth: int = 0) -> bool | None:
        """Whether a condition holds with the atoms of `env`; None where they do not decide that."""
        if depth > _MAX_DEPTH:
            return None
        match cond:
            case ast.Paren(inner=inner):
                return self.truth(inner, env, depth + 1)
            case ast.Unary(op="!", operand=operand):
                held = self.truth(operand, env, depth + 1)
                return None if held is None else not held
            case ast.Binary(op="&&" | "||" as op, left=left, right=right):
                sides = self.truth(left, env, depth + 1), self.truth(right, env, depth + 1)
                settled = op == "||"
                if settled in sides:
                    return settled
                return None if None in sides else not settled
            case ast.Binary(op=op) if op in _COMPARISONS:
                gap = self._gap(cond, env)
                return None if gap is None or gap.const is None else _compared(op, gap.const)
            case ast.Name() if (value := self.definition(cond)) is not None:
                return self.truth(value, env, depth + 1)
        return None

    def _gap(self, cond: ast.Binary, env: Env) -> Int | None:
        a, b = self.model.values.get(cond.left), self.model.values.get(cond.right)
        return None if a is None or b is None else self.opened(a - b).substitute(env)

    def gaps(self, cond: ast.Node, env: Env) -> Iterator[Int]:
        """Left minus right of each comparison whose sides are known."""
        for part in self._comparisons(cond, 0):
            gap = self._gap(part, env)
            if gap is not None:
                yield gap

    def names(self, cond: ast.Node, env: Env) -> frozenset[str]:
        """The atoms that decide a condition, beside those of `env`."""
        return frozenset(name for gap in self.gaps(cond, env) for name in gap.names())

    def _comparisons(self, cond: ast.Node, depth: int) -> Iterator[ast.Binary]:
        if depth > _MAX_DEPTH:
            return
        match cond:
            case ast.Paren(inner=inner) | ast.Unary(operand=inner):
                yield from self._comparisons(inner, depth + 1)
            case ast.Binary(op="&&" | "||", left=left, right=right):
                yield from self._comparisons(left, depth + 1)
                yield from self._comparisons(right, depth + 1)
            case ast.Binary(op=op) if op in _COMPARISONS:
                yield cond
            case ast.Name() if (value := self.definition(cond)) is not None:
                yield from self._comparisons(value, depth + 1)


def raw_names(value: Int) -> set[str]:
    """The atoms that a value grows with: those outside every remainder."""
    found: set[str] = set()
    stack = list(value.atoms())
    while stack:
        atom = stack.pop()
        if isinstance(atom, str):
            found.add(atom)
        elif atom.op != "%":
            stack += [*atom.a.atoms(), *atom.b.atoms()]
    return found


def guards(frames: Sequence[ast.Node]) -> Iterator[tuple[ast.Node, bool]]:
    """The conditions under which the last of some nested statements is come to within one iteration, and whether each
    must not hold: those of `if`s around it, and of `if`s in front of it that leave."""
    for node, below in pairwise(frames):
        if isinstance(node, ast.If):
            yield node.cond, in_else(node, below)
        for block in _blocks(node):
            before = _before(block, below)
            yield from ((one.cond, True) for one in before if isinstance(one, ast.If) and _leaves(one))


def _blocks(node: ast.Node) -> tuple[ast.Block, ...]:
    match node:
        case ast.Block():
            return (node,)
        case ast.If(then=then, other=other):
            return (then,) if other is None else (then, other)
        case ast.Parallel() | ast.With() | ast.Foreach() | ast.While() | ast.InThreads() | ast.Apply():
            return (node.body,)
    return ()


def _before(block: ast.Block, stmt: ast.Node) -> list[ast.Node]:
    """The statements of a block in front of one of its own, those of plain inner blocks included."""
    found: list[ast.Node] = []
    for one in block.stmts:
        if one is stmt:
            return found
        if isinstance(one, ast.Block):
            if any(each is stmt for each in walk(one)):
                return found + _before(one, stmt)
            found += one.stmts
        else:
            found.append(one)
    return []


def _leaves(node: ast.If) -> bool:
    """Whether the branch of an `if` without `else` ends what it stands in."""
    stmts = node.then.stmts
    return node.other is None and bool(stmts) and isinstance(stmts[-1], ast.Jump | ast.Return)


def _compared(op: str, gap: int) -> bool:
    if op in ("==", "!="):
        return (gap == 0) == (op == "==")
    if op in ("<", "<="):
        return gap < 0 or (op == "<=" and gap == 0)
    return gap > 0 or (op == ">=" and gap == 0)
