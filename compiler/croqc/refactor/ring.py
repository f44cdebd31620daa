"""Double buffering with `swap` becomes one producer and one consumer with events (credit-flow; reference, 7.6).

    parallel p by 1 : group-4 {
      acc = mma.fill.f32 0.0f;
      with k in [cdiv(K, 64)] {
        f0 = dma.copy.async a.subspan(64, 64).at(b, 0) => shared;
        f1 = dma.any;
        foreach k(1:) {
          f1 = dma.copy.async a.subspan(64, 64).at(b, k) => shared;
          wait f0;
          mma.row.row acc, f0.data, w;
          swap(f0, f1);
        }
        wait f0;
        mma.row.row acc, f0.data, w;
      }
      mma.store acc, c;
    }

becomes, in a file of the current dialect (in a course file with a bootstrap loop instead of `= ready`),

    shared event full[2], empty[2] = ready;
    shared f16 [64, 64] f_s[2];
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) {
        foreach k in [cdiv(K, 64)] {
          stage = k % 2;
          wait empty[stage];
          dma.copy a.subspan(64, 64).at(b, k) => f_s[stage];
          trigger full[stage];
        }
      }

      inthreads.async (p == 1) {
        acc = mma.fill.f32 0.0f;
        foreach k in [cdiv(K, 64)] {
          stage = k % 2;
          wait full[stage];
          mma.row.row acc, f_s[stage], w;
          trigger empty[stage];
        }
        mma.store acc, c;
      }
    }

Must not change the work of a tile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from croqc.refactor.base import Code, Outcome, Refusal
from croqc.refactor.buffering import (
    Buffering,
    indented,
    loops,
    names_in,
    recognise,
    repeats,
    replacements,
    text_with,
)
from croqc.sema.model import Level, Symbol
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.edits import Edit
from croqc.text.span import Span

TITLE = "Split into a producer and a consumer with events"
_HEAD = re.compile(r"\w+\s*=\s*")
_ASYNC = re.compile(r"\.\s*async\b")
_DATA = re.compile(r"\s*\.\s*data\b")
_DEPTH = 2


def sites(code: Code) -> Iterator[ast.Foreach]:
    return loops(code, "swap")


def applies(code: Code, offset: int) -> bool:
    return any(loop.span.touches(offset) and not isinstance(edits(code, loop), Refusal) for loop in sites(code))


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """The unit that is split, the `with` (or the loop's own block) in it, and new names."""

    unit: ast.Parallel
    whole: ast.With
    found: Buffering
    slots: dict[Symbol, str]
    full: str
    empty: str
    stage: str


def edits(code: Code, loop: ast.Foreach) -> Outcome:
    found = recognise(code, loop)
    if isinstance(found, Refusal):
        return found
    problem = repeats(code, found)
    if problem is not None:
        return problem
    parts = _parts(code, found)
    if isinstance(parts, Refusal):
        return parts
    declared = _declarations(code, parts)
    if isinstance(declared, Refusal):
        return declared
    bound = parts.unit.axes[0].bounds[0]
    body = parts.unit.body
    inner = Span(body.stmts[0].span.start, body.stmts[-1].span.end)
    return (
        code.before(parts.unit, *declared),
        *code.replaced(bound.span, "2"),
        Edit(inner, code.newline.join(_roles(code, parts)).lstrip(" ")),
    )


def _parts(code: Code, found: Buffering) -> _Parts | Refusal:
    around = code.around[found.loop]
    unit = around.parallels[-1]
    if len(unit.axes) != 1 or code.model.levels.get(unit.axes[0]) is not Level.GROUP4 or around.regions:
        return Refusal("the loop is not the work of a 'parallel … : group-4'", unit.span)
    bounds = unit.axes[0].bounds
    bound = code.model.values.get(bounds[0]) if len(bounds) == 1 else None
    if bound is None or bound.const != 1 or len(unit.axes[0].names) != 1:
        return Refusal("more than one warpgroup shares the tile", unit.span)
    whole = around.chain[-1]
    if not isinstance(whole, ast.With) or whole not in unit.body.stmts or len(whole.bindings) != 1:
        return Refusal("the buffered loop does not stand in a 'with' of the warpgroup", found.loop.span)
    known = (found.loop, *found.first, *found.places, *(stmt for part in found.tail for stmt in part))
    other = next((stmt for stmt in whole.body.stmts if stmt not in known), None)
    if other is not None:
        return Refusal("something else stands between the tiles", other.span)
    index = code.model.uses.get(unit.axes[0].names[0])
    used = next((name for name in names_in(unit.body.stmts) if code.model.uses.get(name) is index), None)
    if used is not None:
        return Refusal("the warpgroup's own index is used, which is another one for a consumer", used.span)
    slots: dict[Symbol, str] = {}
    for first, _ in found.handles:
        slots[first] = code.fresh(f"{first.name.rstrip('0123456789')}_s", slots.values())
    names = [code.fresh(word) for word in ("full", "empty", "stage")]
    return _Parts(unit, whole, found, slots, *names)


def _declarations(code: Code, parts: _Parts) -> list[str] | Refusal:
    ready = " = ready" if code.model.dialect == "current" else ""
    lines = [f"shared event {parts.full}[{_DEPTH}], {parts.empty}[{_DEPTH}]{ready};"]
    for first, second in parts.found.handles:
        copy = _fill(code, parts.found, second)
        shape = _shape(code, copy)
        if shape is None or not isinstance(copy.dest, ast.StorageDest) or copy.dest.storage != "shared":
            return Refusal("the tile has no shape that could be declared, or is not in shared memory", copy.span)
        elem = code.model.copies[copy].dest.data.elem
        lines.append(f"shared {elem} [{shape}] {parts.slots[first]}[{_DEPTH}];")
    return lines


def _fill(code: Code, found: Buffering, symbol: Symbol) -> ast.Copy:
    return next(copy for copy in found.fills if copy.target and code.model.uses.get(copy.target) is symbol)


def _shape(code: Code, copy: ast.Copy) -> str | None:
    """The extents of a tile: as the source's `subspan` writes them, else as numbers."""
    info = code.model.copies.get(copy)
    if info is None:
        return None
    last = info.source.ops[-1] if info.source.ops else None
    if last is not None and last.kind.value == "subspan" and not last.strides and len(last.args) == len(info.box):
        return ", ".join(code.of(arg) for arg in last.args)
    sizes = [extent.const for extent in info.box]
    return None if None in sizes else ", ".join(map(str, sizes))


# --- the two roles -------------------------------------------------------------------------------


def _roles(code: Code, parts: _Parts) -> Iterator[str]:
    """The lines of the new body, indented as the old one is."""
    base = code.indent(parts.unit.body.stmts[0].span.start)
    name = parts.unit.axes[0].names[0].id
    yield f"{base}inthreads.async ({name} == 0) {{"
    yield from (f"{base}  {line}" for line in _producer(code, parts, base))
    yield f"{base}}}"
    yield ""
    yield f"{base}inthreads.async ({name} == 1) {{"
    yield from _consumer(code, parts, base)
    yield f"{base}}}"


def _other_comments(code: Code, parts: _Parts) -> Iterator[str]:
    """Comments between the statements that go; those in the work, and in what is loaded, go with it."""
    work = _kept(code, parts.found)
    moved = [Span(work[0].span.start, work[-1].span.end)] if work else []
    moved += [_operation(code, _fill(code, parts.found, second)) for _, second in parts.found.handles]
    moved.append(Span(parts.whole.bindings[0].span.start, parts.whole.bindings[0].span.end))
    inside = [one for span in moved for one in code.comments_in(span)]
    for one in code.comments_in(parts.whole.span):
        if one in inside:
            inside.remove(one)
        else:
            yield one


def _operation(code: Code, copy: ast.Copy) -> Span:
    """What is loaded: from behind the name of the future up to the destination."""
    head = _HEAD.match(code.bare, copy.span.start)
    return Span(copy.span.start if head is None else head.end(), copy.dest.span.start)


def _header(code: Code, parts: _Parts) -> str:
    return f"foreach {code.of(parts.whole.bindings[0])} {{"


def _stage(parts: _Parts) -> str:
    return f"{parts.stage} = {parts.found.index.name} % {_DEPTH};"


def _producer(code: Code, parts: _Parts, base: str) -> Iterator[str]:
    yield from _other_comments(code, parts)
    yield _header(code, parts)
    yield f"  {_stage(parts)}"
    yield f"  wait {parts.empty}[{parts.stage}];"
    for first, second in parts.found.handles:
        copy = _fill(code, parts.found, second)
        span = _operation(code, copy)
        found = _ASYNC.search(code.bare, span.start, span.end)
        gone = _removal(code, Span(*found.span())) if found is not None else {}
        line = f"{text_with(code, span, gone)}{parts.slots[first]}[{parts.stage}];"
        yield "  " + indented(code, line, code.indent(copy.span.start), base + "    ")
    yield f"  trigger {parts.full}[{parts.stage}];"
    yield "}"


def _consumer(code: Code, parts: _Parts, base: str) -> Iterator[str]:
    body = parts.unit.body.stmts
    at = body.index(parts.whole)
    yield from _moved(code, Span(body[0].span.start, _text_end(code, body[at - 1], parts.whole)), base) if at else ()
    if code.model.dialect != "current":
        index = code.fresh("s")
        yield f"{base}  foreach {{{index}}} in [{_DEPTH}] {{"
        yield f"{base}    trigger {parts.empty}[{index}];"
        yield f"{base}  }}"
    yield f"{base}  {_header(code, parts)}"
    yield f"{base}    {_stage(parts)}"
    yield f"{base}    wait {parts.full}[{parts.stage}];"
    yield from (f"{base}    {line}" for line in _work(code, parts))
    yield f"{base}    trigger {parts.empty}[{parts.stage}];"
    yield f"{base}  }}"
    rest = body[at + 1 :]
    yield from _moved(code, Span(parts.whole.span.end, rest[-1].span.end), base) if rest else ()


def _text_end(code: Code, stmt: ast.Stmt, following: ast.Stmt) -> int:
    """Where a statement ends, with the comments between it and the next one."""
    between = Span(stmt.span.end, following.span.start)
    return stmt.span.end + len(code.slice(between).rstrip())


def _moved(code: Code, span: Span, base: str) -> Iterator[str]:
    """Lines between two places, one level deeper; comments and blank lines with them."""
    lines = code.slice(span).split(code.newline)
    for number, line in enumerate(lines):
        if line.strip():
            yield f"{base}  {line.removeprefix(base)}"
        elif number:
            yield ""


def _work(code: Code, parts: _Parts) -> Iterator[str]:
    """A round's work on the slot instead of the future; the waits for futures go."""
    found = parts.found
    kept = _kept(code, found)
    if not kept:
        return
    places = replacements(code, kept, _slots(parts), found.index, f"({found.index.name} + 1)")
    for name in names_in(kept):
        data = _DATA.match(code.bare, name.span.end) if code.model.uses.get(name) in parts.slots else None
        places |= _removal(code, Span(*data.span())) if data is not None else {}
    here = code.indent(kept[0].span.start)
    text = text_with(code, Span(kept[0].span.start, kept[-1].span.end), places)
    yield from (line if not number else line.removeprefix(here) for number, line in enumerate(text.split(code.newline)))


def _slots(parts: _Parts) -> dict[Symbol, str]:
    return {handle: f"{name}[{parts.stage}]" for handle, name in parts.slots.items()}


def _removal(code: Code, span: Span) -> dict[Span, str]:
    return {edit.span: edit.new_text for edit in code.replaced(span, "")}


def _kept(code: Code, found: Buffering) -> tuple[ast.Stmt, ...]:
    return tuple(stmt for stmt in found.work if not _waits_for(code, stmt, found))


def _waits_for(code: Code, stmt: ast.Node, found: Buffering) -> bool:
    handles = {names[0] for names in found.handles}
    names = [node for node in walk(stmt) if isinstance(node, ast.Name)]
    return isinstance(stmt, ast.Wait) and all(code.model.uses.get(name) in handles for name in names)
