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
from croqc.refactor.repeated import first_difference, written_between
from croqc.sema.model import Symbol
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, Data, bound_of
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.edits import Edit
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
    tail = _tail(code, behind, work, [[names[at] for names in handles] for at in range(depth - 1)])
    if tail is None:
        return Refusal("what follows the loop does not repeat its work for the tiles that are left", loop.span)
    other = _other_use(code, work, handles)
    if other is not None:
        return Refusal("the work of a round touches another handle than its first one", other.span)
    trips, extent = _extent(code, index)
    found = Buffering(block, loop, index, extent, trips, handles, first, places, fills, work, turns, tail)
    return _disorder(code, found, before) or found


def _disorder(code: Code, found: Buffering, before: tuple[ast.Stmt, ...]) -> Refusal | None:
    """What would not do the same in another order of the tiles."""
    jump = next((node for node in walk(found.loop) if _leaves(code, node, found.loop)), None)
    if jump is not None:
        return Refusal("a round of the loop may be left early", jump.span)
    known = (found.loop, *found.first, *found.places, *(stmt for part in found.tail for stmt in part))
    inside = {name for stmt in known for name in names_in((stmt,))}
    handles = _flat(found.handles)
    for name, symbol in code.model.uses.items():
        if symbol in handles and name not in inside:
            return Refusal(f"'{symbol.name}' is used elsewhere, too", name.span)
    start = min(one.span.start for one in (*found.first, *found.places))
    moved = (*(stmt for stmt in before if stmt.span.start > start and stmt not in known), *found.work)
    for copy in found.fills:
        place = written_between(code, moved, copy.source)
        if place is not None:
            return Refusal("this may write what the loop loads", place.span)
    return None


def _leaves(code: Code, node: ast.Node, loop: ast.Foreach) -> bool:
    """Whether a statement in a loop skips the rest of its round."""
    if isinstance(node, ast.Jump):
        return (
            next(one for one in reversed(code.around[node].chain) if isinstance(one, ast.Foreach | ast.While)) is loop
        )
    return isinstance(node, ast.Return)


def repeats(code: Code, found: Buffering) -> Refusal | None:
    """Whether the loads in front of the loop are its own for the first tiles, and the first epilogue its work for the
    tile behind the last: what a rewrite that leaves these out has to know."""
    if not all(_has_tiles(code, found, copy) for copy in found.fills):
        return Refusal("the sizes do not say whether there are as many tiles as are loaded ahead", found.loop.span)
    for number in range(found.depth - 1):
        for copy in found.fills:
            names = next(names for names in found.handles if names[-1] is _target(code, copy))
            first = next(one for one in found.first if _target(code, one) is names[number])
            other = first_difference(code, (copy,), (first,), found.index, Int.of(number), [(names[-1], names[number])])
            if other is not None:
                return Refusal(f"this is not what the loop loads for tile {number}", other.span)
    other = first_difference(code, found.work, found.tail[0], found.index, _bound(found.index))
    return None if other is None else Refusal("this is not what the loop does with the last tiles", other.span)


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


def _has_tiles(code: Code, found: Buffering, copy: ast.Copy) -> bool:
    """Whether the loop has all the tiles that are loaded in front of it: for every size, or since what is loaded from
    has as many as the index, and would end before them."""
    bound, wanted = _bound(found.index), found.depth - 1
    fewest = bound.evaluate(dict.fromkeys(bound.names(), 1))
    if fewest is not None and fewest >= wanted:
        return True
    view = code.model.views.get(copy.source)
    data = view.base.type if view is not None else None
    return isinstance(data, Data) and any(extent.names() & bound.names() for extent in data.shape)


def _extent(code: Code, index: Symbol) -> tuple[int | None, str]:
    """The trip count of the index where it is constant, and its text."""
    binding = index.decl
    extent = binding.extent if isinstance(binding, ast.Binding) else None
    if isinstance(extent, ast.ShapeLit) and len(extent.items) == 1:
        extent = extent.items[0]
    return _bound(index).const, code.of(extent) if extent is not None else f"#{index.name}"


def _bound(index: Symbol) -> Int:
    bound = bound_of(index.type)
    return Int.of(0) if bound is None else bound


def _around(block: ast.Block, loop: ast.Foreach) -> tuple[tuple[ast.Stmt, ...], tuple[ast.Stmt, ...]]:
    at = block.stmts.index(loop)
    return block.stmts[:at], block.stmts[at + 1 :]


def _tail(
    code: Code, behind: tuple[ast.Stmt, ...], work: tuple[ast.Stmt, ...], groups: list[list[Symbol]]
) -> tuple[tuple[ast.Stmt, ...], ...] | None:
    """Behind the loop: the same kinds of statements again, for each group of handles."""
    found = []
    for at, group in enumerate(groups):
        part = behind[at * len(work) : (at + 1) * len(work)]
        mentioned = {code.model.uses.get(name) for name in names_in(part)}
        if [type(one) for one in part] != [type(one) for one in work] or not set(group) <= mentioned:
            return None
        found.append(part)
    return tuple(found)


def _other_use(code: Code, work: tuple[ast.Stmt, ...], handles: tuple[tuple[Symbol, ...], ...]) -> ast.Name | None:
    later = {symbol for names in handles for symbol in names[1:]}
    return next((name for name in names_in(work) if code.model.uses.get(name) in later), None)


def names_in(stmts: tuple[ast.Stmt, ...]) -> Iterator[ast.Name]:
    return (node for stmt in stmts for node in walk(stmt) if isinstance(node, ast.Name))


# --- text with names replaced --------------------------------------------------------------------


def replacements(
    code: Code, stmts: tuple[ast.Stmt, ...], renamed: Mapping[Symbol, str], index: Symbol | None = None, value: str = ""
) -> dict[Span, str]:
    """The places in statements where a handle stands that is renamed, or the value of an index, with the new text."""
    places = {name.span: text for name in names_in(stmts) if (text := _name(code, name, renamed)) is not None}
    if index is not None:
        places |= dict.fromkeys(_values(code, stmts, index), value)
    return places


def _values(code: Code, stmts: tuple[ast.Node, ...], index: Symbol) -> Iterator[Span]:
    """Where statements depend on the value of an index: not with its bound `#k`, nor with one of its values, `k(-1)`;
    `k(0)` of a tuple is the value itself (3.4)."""
    known: set[ast.Node] = set()
    for stmt in stmts:
        for node in walk(stmt):
            match node:
                case ast.BoundOf(name=name):
                    known.add(name)
                case ast.Chain(base=ast.Name() as name, suffixes=(ast.Pick() as pick, *_)):
                    if code.model.uses.get(name) is index:
                        known.add(name)
                        if not isinstance(index.type, Bounded):
                            yield Span(name.span.start, pick.span.end)
                case ast.Name() if node not in known and code.model.uses.get(node) is index:
                    yield node.span


def edits_of(places: Mapping[Span, str]) -> Iterator[Edit]:
    return (Edit(span, places[span]) for span in sorted(places))


def text_with(code: Code, span: Span, places: Mapping[Span, str]) -> str:
    """The text of a span with others at some places in it."""
    text, at = "", span.start
    for place in sorted(places):
        text += code.text[at : place.start] + places[place]
        at = place.end
    return text + code.text[at : span.end]


def substituted(
    code: Code, stmts: tuple[ast.Stmt, ...], renamed: Mapping[Symbol, str], index: Symbol | None = None, value: str = ""
) -> str:
    """The text of consecutive statements with handles renamed, and the index replaced by a value."""
    span = Span(stmts[0].span.start, stmts[-1].span.end)
    return text_with(code, span, replacements(code, stmts, renamed, index, value))


def _name(code: Code, name: ast.Name, renamed: Mapping[Symbol, str]) -> str | None:
    symbol = code.model.uses.get(name)
    return renamed.get(symbol) if symbol is not None else None


def indented(code: Code, text: str, before: str, after: str) -> str:
    """Lines of a text moved from one indentation to another; the first one stands where it is put."""
    lines = text.split(code.newline)
    return code.newline.join([lines[0], *(after + line.removeprefix(before) for line in lines[1:])])
