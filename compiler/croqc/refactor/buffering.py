"""Recognises double and triple buffering: prologue, steady loop with `swap` or `rotate`, epilogue (reference, 5.5).

    f0 = dma.copy.async a.chunkat(b, k) => shared;
    f1 = dma.any;
    foreach k(1:) {
      f1 = dma.copy.async a.chunkat(b, k) => shared;
      wait f0;
      …                                   // works on f0
      swap(f0, f1);
    }
    wait f0;
    …                                     // works on f0

Must not rewrite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from croqc.refactor.base import Code, Refusal
from croqc.refactor.repeats import repeats
from croqc.sema.model import Symbol
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, bound_of
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.span import Span


@dataclass(frozen=True, slots=True, eq=False)
class Buffering:
    """A buffered loop. `handles` are the rotated names of each operand, the one that is worked on first.

    `places` are the placeholders, `fills` the copies of the loop into the last handle, `work` what lies between them
    and the rotation; `tail` are as many epilogues of that length as there are tiles in flight at the end.
    """

    block: ast.Block
    loop: ast.Foreach
    index: Symbol
    extent: str
    trips: int | None
    handles: tuple[tuple[Symbol, ...], ...]
    first: tuple[ast.Copy, ...]
    places: tuple[ast.AnyFuture, ...]
    fills: tuple[ast.Copy, ...]
    work: tuple[ast.Stmt, ...]
    turns: tuple[ast.Rotate, ...]
    tail: tuple[tuple[ast.Stmt, ...], ...]

    @property
    def depth(self) -> int:
        return len(self.handles[0])

    @property
    def is_long(self) -> bool:
        """Whether there are two tiles for certain."""
        return self.trips is not None and self.trips > 1

    def tile(self, number: int) -> str:
        """The index at tile `number`, at the last one for -1, with the bound that it has (3.4)."""
        if isinstance(self.index.type, Bounded):
            return f"{self.index.name}({number})"
        return str(number) if number >= 0 else f"({self.extent} - 1)"


def loops(code: Code, word: str) -> Iterator[ast.Foreach]:
    """Loops that end with `swap` or `rotate`."""
    for stmt in code.around:
        if isinstance(stmt, ast.Foreach) and stmt.body.stmts:
            last = stmt.body.stmts[-1]
            if isinstance(last, ast.Rotate) and last.word == word:
                yield stmt


def recognise(code: Code, loop: ast.Foreach) -> Buffering | Refusal:
    """The parts of a buffered loop; refused with the part that does not fit."""
    body = loop.body.stmts
    turns = tuple(stmt for stmt in body if isinstance(stmt, ast.Rotate))
    handles = tuple(_symbols(code, turn) for turn in turns)
    depth = len(handles[0])
    if any(len(names) != depth for names in handles) or body[-len(turns) :] != turns:
        return Refusal("the handles are not turned together at the end of the loop", turns[0].span)
    index = _index(code, loop, depth - 1)
    if isinstance(index, Refusal):
        return index
    lasts = {names[-1] for names in handles}
    fills = tuple(one for one in body if isinstance(one, ast.Copy) and _target(code, one) in lasts)
    if body[: len(fills)] != fills or len(fills) != len(handles):
        return Refusal("the loop does not begin with one copy into the last handle of each operand", loop.span)
    work = body[len(fills) : -len(turns)]
    block = code.blocks[loop]
    before, behind = _around(block, loop)
    first = tuple(one for one in before if isinstance(one, ast.Copy) and _target(code, one) in _flat(handles))
    places = tuple(one for one in before if isinstance(one, ast.AnyFuture) and code.model.uses.get(one.target) in lasts)
    if len(first) != len(handles) * (depth - 1) or len(places) != len(handles):
        return Refusal("the first tiles are not loaded, or the last handle is not declared, before the loop", loop.span)
    other = _other_use(code, work, handles)
    if other is not None:
        return Refusal("the work of a round touches another handle than its first one", other.span)
    tail = _tail(code, behind, work, handles, index)
    if tail is None:
        return Refusal("what follows the loop does not repeat its work for the tiles that are left", loop.span)
    trips, extent = _extent(code, index)
    return Buffering(block, loop, index, extent, trips, handles, first, places, fills, work, turns, tail)


def _symbols(code: Code, turn: ast.Rotate) -> tuple[Symbol, ...]:
    return tuple(symbol for name in turn.names if (symbol := code.model.uses.get(name)) is not None)


def _flat(handles: tuple[tuple[Symbol, ...], ...]) -> set[Symbol | None]:
    return {symbol for names in handles for symbol in names}


def _target(code: Code, copy: ast.Copy) -> Symbol | None:
    return code.model.uses.get(copy.target) if copy.target is not None else None


def _index(code: Code, loop: ast.Foreach, start: int) -> Symbol | Refusal:
    """The index of `foreach k(start:)`."""
    match loop:
        case ast.Foreach(ranges=(ast.Range(local=None, hi=None, step=None, lo=ast.IntLit() as lo) as one,)):
            symbol = code.model.uses.get(one.name)
            if lo.value == start and symbol is not None:
                return symbol
    return Refusal(f"the loop is not 'foreach k({start}:)'", loop.span)


def _extent(code: Code, index: Symbol) -> tuple[int | None, str]:
    """The trip count of the index where it is constant, and its text."""
    bound = bound_of(index.type) or Int.of(0)
    binding = index.decl
    extent = binding.extent if isinstance(binding, ast.Binding) else None
    if isinstance(extent, ast.ShapeLit) and len(extent.items) == 1:
        extent = extent.items[0]
    return bound.const, code.of(extent) if extent is not None else f"#{index.name}"


def _around(block: ast.Block, loop: ast.Foreach) -> tuple[tuple[ast.Stmt, ...], tuple[ast.Stmt, ...]]:
    at = block.stmts.index(loop)
    return block.stmts[:at], block.stmts[at + 1 :]


def _tail(
    code: Code,
    behind: tuple[ast.Stmt, ...],
    work: tuple[ast.Stmt, ...],
    handles: tuple[tuple[Symbol, ...], ...],
    index: Symbol,
) -> tuple[tuple[ast.Stmt, ...], ...] | None:
    """Behind the loop: its work again, as turns behind its last one would do it, on the handles that are left."""
    found = []
    bound = bound_of(index.type)
    for at in range(len(handles[0]) - 1):
        part = behind[at * len(work) : (at + 1) * len(work)]
        values = {} if bound is None else {index.atom: bound + Int.of(at)}
        if not repeats(code, work, part, {names[0]: names[at] for names in handles}, values):
            return None
        found.append(part)
    return tuple(found)


def _other_use(code: Code, work: tuple[ast.Stmt, ...], handles: tuple[tuple[Symbol, ...], ...]) -> ast.Name | None:
    later = {symbol for names in handles for symbol in names[1:]}
    return next((name for name in names_in(work) if code.model.uses.get(name) in later), None)


def names_in(stmts: tuple[ast.Stmt, ...]) -> Iterator[ast.Name]:
    return (node for stmt in stmts for node in walk(stmt) if isinstance(node, ast.Name))


# --- text with names replaced --------------------------------------------------------------------


def reads_value(code: Code, stmts: tuple[ast.Stmt, ...], index: Symbol) -> bool:
    """Whether statements depend on the value of an index; its bound `#k` does not count."""
    return any(True for _ in _values(code, stmts, index))


def _values(code: Code, stmts: tuple[ast.Node, ...], index: Symbol) -> Iterator[ast.Name]:
    bounds = {node.name for stmt in stmts for node in walk(stmt) if isinstance(node, ast.BoundOf)}
    for stmt in stmts:
        for node in walk(stmt):
            if isinstance(node, ast.Name) and node not in bounds and code.model.uses.get(node) is index:
                yield node


def substituted(
    code: Code, stmts: tuple[ast.Stmt, ...], renamed: Mapping[Symbol, str], index: Symbol | None = None, value: str = ""
) -> str:
    """The text of consecutive statements with handles renamed, and the index replaced by a value."""
    span = Span(stmts[0].span.start, stmts[-1].span.end)
    places = {name.span: text for name in names_in(stmts) if (text := _name(code, name, renamed)) is not None}
    if index is not None:
        places |= {name.span: value for name in _values(code, stmts, index)}
    text, at = "", span.start
    for place in sorted(places):
        text += code.text[at : place.start] + places[place]
        at = place.end
    return text + code.text[at : span.end]


def _name(code: Code, name: ast.Name, renamed: Mapping[Symbol, str]) -> str | None:
    symbol = code.model.uses.get(name)
    return renamed.get(symbol) if symbol is not None else None


def indented(code: Code, text: str, before: str, after: str) -> str:
    """Lines of a text moved from one indentation to another; the first one stands where it is put."""
    lines = text.split(code.newline)
    return code.newline.join([lines[0], *(after + line.removeprefix(before) for line in lines[1:])])
