"""Where the statements of a credit-flow finding stand: the block that holds two places, what comes between them.

Reads the tree and the model for fixes. Must not edit or word. Bodies without braces count as part of the statement
that has them, so that something can be put in front of or behind what is returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TypeVar

from croqc.refactor.base import Code
from croqc.rules.credit_sites import Loop
from croqc.sema.model import Symbol
from croqc.sema.nesting import statements
from croqc.sema.roots import base_name
from croqc.syntax import ast
from croqc.syntax.visit import covering
from croqc.text.record import record
from croqc.text.span import Span

_Kind = TypeVar("_Kind", bound=ast.Node)


@record
class Seat:
    """A statement of a block with braces, and the nodes around the place in it, outermost first."""

    block: ast.Block
    stmt: ast.Node

    @property
    def before(self) -> tuple[ast.Node, ...]:
        return self.block.stmts[: self.block.stmts.index(self.stmt)]

    @property
    def later(self) -> tuple[ast.Node, ...]:
        return self.block.stmts[self.block.stmts.index(self.stmt) + 1 :]


def nodes_at(code: Code, span: Span) -> list[ast.Node]:
    """The nodes that cover a place, outermost first."""
    return covering(code.model.function, span)


def node_of(code: Code, span: Span, kind: type[_Kind]) -> _Kind | None:
    """The innermost node of a kind that covers a place, if the text shows it and no macro made it."""
    found = next((node for node in reversed(nodes_at(code, span)) if isinstance(node, kind)), None)
    return found if found is not None and code.written(found) else None


def seats(code: Code, span: Span) -> list[Seat]:
    """The statements around a place, outermost first."""
    path = nodes_at(code, span)
    pairs = pairwise(path)
    return [Seat(block, stmt) for block, stmt in pairs if isinstance(block, ast.Block) and block.braced]


def seat_of(code: Code, span: Span) -> Seat | None:
    found = seats(code, span)
    return found[-1] if found and code.written(found[-1].stmt) else None


def together(code: Code, one: Span, other: Span) -> tuple[Seat, Seat] | None:
    """Two places by the statements of the innermost block that holds both; None if it is the same statement."""
    for first, second in reversed(list(zip(seats(code, one), seats(code, other), strict=False))):
        if first.block is second.block:
            if first.stmt is second.stmt or not (code.written(first.stmt) and code.written(second.stmt)):
                return None
            return first, second
    return None


def beside(code: Code, stmt: ast.Node, place: Span) -> tuple[Seat, Seat] | None:
    """A statement and the one of its own block that holds a place; None if there is no other."""
    block = code.blocks.get(stmt)
    found = next((seat for seat in seats(code, place) if seat.block is block), None)
    if found is None or found.stmt is stmt or not (code.written(stmt) and code.written(found.stmt)):
        return None
    return Seat(found.block, stmt), found


def region_of(code: Code, span: Span) -> ast.InThreads | None:
    """The role that a place belongs to."""
    return next((node for node in reversed(nodes_at(code, span)) if isinstance(node, ast.InThreads)), None)


def loop_of(code: Code, span: Span) -> Loop | None:
    """The innermost loop around a place."""
    return next((node for node in reversed(nodes_at(code, span)) if isinstance(node, Loop)), None)


def inside(node: ast.Node) -> Iterator[ast.Node]:
    """The statement itself and those below it."""
    yield node
    yield from (stmt for stmt, _ in statements(node))


def symbols(code: Code, refs: Iterable[ast.Node]) -> list[Symbol]:
    """What some references name, by their roots."""
    names = (base_name(ref) for ref in refs)
    found = (code.model.uses.get(name) for name in names if name is not None)
    return [symbol for symbol in found if symbol is not None]


def target_of(code: Code, node: ast.Node | None) -> Symbol | None:
    """The future that a copy or an asynchronous multiply is assigned to."""
    if isinstance(node, ast.Copy | ast.Mma) and node.target is not None:
        return code.model.uses.get(node.target)
    return None


def settled(code: Code, stmts: Iterable[ast.Node]) -> set[Symbol]:
    """The futures that some statements wait for or bind."""
    found: set[Symbol] = set()
    for stmt in stmts:
        for node in inside(stmt):
            if isinstance(node, ast.Wait):
                found.update(symbols(code, node.refs))
            elif isinstance(node, ast.Trigger):
                found.update(symbols(code, node.after))
    return found


def quoted(futures: Iterable[Symbol]) -> str:
    """The names of futures in the words of a title."""
    return ", ".join(f"'{future.name}'" for future in futures)


def renews(code: Code, stmt: ast.Node, future: Symbol) -> bool:
    """Whether the handle names another transfer behind the statement."""
    if isinstance(stmt, ast.Rotate):
        return any(code.model.uses.get(name) is future for name in stmt.names)
    return target_of(code, stmt) is future


def ended(code: Code, stmts: tuple[ast.Node, ...], future: Symbol) -> bool:
    """Whether the last that some statements of a block do with the future is to wait for it or to bind it."""
    for stmt in reversed(stmts):
        if isinstance(stmt, ast.Wait) and future in symbols(code, stmt.refs):
            return True
        if isinstance(stmt, ast.Trigger) and future in symbols(code, stmt.after):
            return True
        if any(renews(code, node, future) for node in inside(stmt)):
            return False
    return False


def waits_for(code: Code, node: ast.Node, futures: Iterable[Symbol]) -> bool:
    """Whether a statement is a `wait` for some of the futures and for nothing else."""
    if not isinstance(node, ast.Wait):
        return False
    named = symbols(code, node.refs)
    return len(named) == len(node.refs) and set(named) <= set(futures)
