"""`swap` of two buffers becomes `rotate` of three, and back (reference, 5.5; credit-flow, section 4).

    f0 = dma.copy.async src.chunkat(b, k) => shared;
    f1 = dma.any;
    foreach k(1:) {
      f1 = dma.copy.async src.chunkat(b, k) => shared;
      wait f0;
      dma.copy f0.data => out.chunkat(b, k - 1);
      swap(f0, f1);
    }
    wait f0;
    dma.copy f0.data => out.chunkat(b, 7);

becomes

    f0 = dma.copy.async src.chunkat(b, k) => shared;
    f1 = dma.copy.async src.chunkat(b, k(1)) => shared;
    f2 = dma.any;
    foreach k(2:) {
      f2 = dma.copy.async src.chunkat(b, k) => shared;
      wait f0;
      dma.copy f0.data => out.chunkat(b, (k - 1) - 1);
      rotate(f0, f1, f2);
    }
    wait f0;
    dma.copy f0.data => out.chunkat(b, k(-1) - 1);
    wait f1;
    dma.copy f1.data => out.chunkat(b, 7);

Where the loop may have one tile only, the second load and the first epilogue stand under a condition. Must not
change what a tile's work is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from croqc.refactor.base import Code, Outcome, Refusal
from croqc.refactor.buffering import (
    Buffering,
    edits_of,
    indented,
    loops,
    recognise,
    repeats,
    replacements,
    substituted,
)
from croqc.sema.model import Symbol
from croqc.syntax import ast
from croqc.text.edits import Edit
from croqc.text.span import Span

TITLE = "Buffer three tiles with 'rotate'"
TITLE_BACK = "Buffer two tiles with 'swap'"


def sites(code: Code) -> Iterator[ast.Foreach]:
    return loops(code, "swap")


def applies(code: Code, offset: int) -> bool:
    return any(loop.span.touches(offset) and not isinstance(edits(code, loop), Refusal) for loop in sites(code))


def edits(code: Code, loop: ast.Foreach) -> Outcome:
    """Two buffers to three."""
    found = recognise(code, loop)
    if isinstance(found, Refusal):
        return found
    third: dict[Symbol, str] = {}
    for _, second in found.handles:
        third[second] = code.fresh(_third(second.name), third.values())
    made = [*_second_tile(code, found), *_placeholders(code, found, third), *_steady(code, found, third)]
    return (*made, *_epilogue(code, found, third))


def _third(second: str) -> str:
    """`f2` behind `f1`."""
    found = re.fullmatch(r"(.*?)(\d+)", second)
    stem, number = (found.group(1), int(found.group(2)) + 1) if found else (second, 3)
    return f"{stem}{number}"


def _fill_of(found: Buffering, code: Code, symbol: Symbol) -> ast.Copy:
    return next(copy for copy in found.fills if copy.target and code.model.uses.get(copy.target) is symbol)


def _second_tile(code: Code, found: Buffering) -> Iterator[Edit]:
    """The placeholder of the second handle becomes the load of tile 1."""
    for place in found.places:
        symbol = code.model.uses[place.target]
        text = substituted(code, (_fill_of(found, code, symbol),), {}, found.index, found.tile(1))
        text = indented(code, text, code.indent(found.fills[0].span.start), code.indent(place.span.start))
        if found.is_long:
            yield from code.replaced(place.span, text)
        else:
            yield code.after(place, f"if ({found.extent} > 1) {{ {text} }}")


def _placeholders(code: Code, found: Buffering, third: dict[Symbol, str]) -> Iterator[Edit]:
    last = found.places[-1]
    lines = [f"{third[code.model.uses[place.target]]} = {place.engine}.any;" for place in found.places]
    yield code.after(last, *lines)


def _steady(code: Code, found: Buffering, third: dict[Symbol, str]) -> Iterator[Edit]:
    one = found.loop.ranges[0]
    assert one.lo is not None
    yield Edit(one.lo.span, "2")
    for copy in found.fills:
        assert copy.target is not None
        yield Edit(copy.target.span, third[code.model.uses[copy.target]])
    yield from edits_of(replacements(code, found.work, {}, found.index, f"({found.index.name} - 1)"))
    for turn, names in zip(found.turns, found.handles, strict=True):
        yield Edit(Span(turn.span.start, turn.span.start + len(turn.word)), "rotate")
        end = turn.names[-1].span.end
        yield Edit(Span(end, end), f", {third[names[1]]}")


def _turn(names: tuple[Symbol, ...], third: dict[Symbol, str]) -> str:
    return f"rotate({names[0].name}, {names[1].name}, {third[names[1]]});"


def _epilogue(code: Code, found: Buffering, third: dict[Symbol, str]) -> Iterator[Edit]:
    """The work of the last tile but one, as a round does it, in front of the last one's."""
    tail = found.tail[0]
    here, there = code.indent(tail[0].span.start), code.indent(found.work[0].span.start)
    text = substituted(code, found.work, {}, found.index, found.tile(-1))
    if found.is_long:
        yield code.before(tail[0], indented(code, text, there, here))
        renamed = {names[0]: names[1].name for names in found.handles}
        yield from edits_of(replacements(code, tail, renamed))
        return
    inner = indented(code, text, there, here + "  ")
    turns = (f"  {_turn(names, third)}" for names in found.handles)
    yield code.before(tail[0], f"if ({found.extent} > 1) {{", f"  {inner}", *turns, "}")


# --- back ----------------------------------------------------------------------------------------


def triple_sites(code: Code) -> Iterator[ast.Foreach]:
    return loops(code, "rotate")


def to_swap(code: Code, loop: ast.Foreach) -> Outcome:
    """Three buffers to two: the loop starts a tile earlier, and the first epilogue goes."""
    found = recognise(code, loop)
    if isinstance(found, Refusal):
        return found
    if found.depth != 3:
        return Refusal(f"{found.depth} buffers are rotated, not three", found.turns[0].span)
    problem = repeats(code, found)
    if problem is not None:
        return problem
    lo = found.loop.ranges[0].lo
    assert lo is not None
    made = [Edit(lo.span, "1")]
    seconds = {names[1]: names for names in found.handles}
    for copy in found.first:
        if copy.target is not None and code.model.uses[copy.target] in seconds:
            made += code.replaced(copy.span, f"{copy.target.id} = {copy.engine}.any;")
    made += [code.removal(place) for place in found.places]
    by_last = {names[2]: names[1].name for names in found.handles}
    for copy in found.fills:
        assert copy.target is not None
        made.append(Edit(copy.target.span, by_last[code.model.uses[copy.target]]))
    made += edits_of(replacements(code, found.work, {}, found.index, f"({found.index.name} + 1)"))
    for turn in found.turns:
        made.append(Edit(Span(turn.span.start, turn.span.start + len(turn.word)), "swap"))
        made += code.replaced(Span(turn.names[1].span.end, turn.names[2].span.end), "")
    return (*made, *_one_epilogue(code, found))


def _one_epilogue(code: Code, found: Buffering) -> Iterator[Edit]:
    first, second = found.tail
    renamed = {names[1]: names[0].name for names in found.handles}
    gone = Span(first[0].span.start, second[0].span.start)
    joint = code.newline + code.indent(gone.start)
    yield Edit(gone, "".join(comment + joint for comment in code.comments_in(gone)))
    yield from edits_of(replacements(code, second, renamed))
