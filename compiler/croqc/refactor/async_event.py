"""Copies that name an event become futures joined into the trigger (reference, chapter 0; classic to current).

    tma.copy.async<full[s]>.swiz<128> a.subspan(64, 64).at(b, k) => a_s[s];
    tma.copy.async<full[s]>.swiz<128> w.subspan(64, 64).at(q, k) => w_s[s];
    trigger full[s];

becomes

    a_f = tma.copy.async.swiz<128> a.subspan(64, 64).at(b, k) => a_s[s];
    w_f = tma.copy.async.swiz<128> w.subspan(64, 64).at(q, k) => w_s[s];
    trigger full[s] after a_f, w_f;

A copy in an inner block of the trigger's, which may run any number of times, becomes a synchronous one: its bytes
belong to the next trigger just as well. Must not touch copies of another function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from croqc.refactor.base import Code, Outcome, Refusal, subscript
from croqc.sema.roots import base_name
from croqc.syntax import ast
from croqc.syntax.visit import shape_of
from croqc.text.edits import Edit
from croqc.text.span import Span

TITLE = "Join the copies into their trigger"
_OPERAND = re.compile(r"\.\s*async\s*<")
_BY_MACRO = "the operation is made by a macro"


@dataclass(frozen=True, slots=True)
class Site:
    """Copies whose bytes complete with one reference of one trigger; no trigger where none follows."""

    copies: tuple[ast.Copy, ...]
    trigger: ast.Trigger | None = None
    ref: ast.Expr | None = None


def sites(code: Code) -> Iterator[Site]:
    """The classic copies of a function by the trigger that they complete with."""
    groups: dict[tuple[int, int], list[ast.Copy]] = {}
    triggers: dict[tuple[int, int], tuple[ast.Trigger, ast.Expr]] = {}
    for copy in (node for node in code.around if isinstance(node, ast.Copy) and node.event is not None):
        found = _trigger_of(code, copy)
        if found is None:
            yield Site((copy,))
            continue
        key = found[0].span.start, found[1].span.start
        triggers[key] = found
        groups.setdefault(key, []).append(copy)
    for key, copies in groups.items():
        yield Site(tuple(copies), *triggers[key])


def applies(code: Code, offset: int) -> bool:
    return any(copy.span.touches(offset) for site in sites(code) for copy in site.copies)


def edits(code: Code, site: Site) -> Outcome:
    if site.trigger is None or site.ref is None:
        first = site.copies[0]
        if _operand(code, first) is None:
            return Refusal(_BY_MACRO, first.span)
        return Refusal("no trigger of the event that the copy names follows on its path", first.event_span)
    direct = [copy for copy in site.copies if code.blocks.get(copy) is code.blocks.get(site.trigger)]
    made: list[Edit] = []
    names: list[str] = []
    for copy in site.copies:
        operand = _operand(code, copy)
        if operand is None:
            return Refusal(_BY_MACRO, copy.span)
        if copy not in direct:
            made += code.replaced(operand, "")
            continue
        made += code.replaced(Span(code.bare.index("<", operand.start), operand.end), "")
        if copy.target is None:
            names.append(code.fresh(_stem(copy), names))
            made.append(Edit(Span(copy.span.start, copy.span.start), f"{names[-1]} = "))
        else:
            names.append(copy.target.id)
    return (*made, *_join(code, site.trigger, site.ref, names))


def synchronous(code: Code, site: Site) -> Outcome:
    """The copies without their event: the trigger behind them tells that they have landed (to the course dialect)."""
    if site.trigger is None:
        return edits(code, site)
    made: list[Edit] = []
    for copy in site.copies:
        operand = _operand(code, copy)
        if operand is None or copy.target is not None:
            return Refusal("the operation is made by a macro, or its future has a name", copy.span)
        made += code.replaced(operand, "")
    return tuple(made)


def _join(code: Code, trigger: ast.Trigger, ref: ast.Expr, names: list[str]) -> Iterator[Edit]:
    """The joined trigger has one event: others get a trigger of their own behind it."""
    if not names:
        return
    joined = ", ".join(names)
    if len(trigger.refs) == 1:
        text = f", {joined}" if trigger.after else f" after {joined}"
        at = max([one.span.end for one in trigger.after], default=ref.span.end)
        yield Edit(Span(at, at), text)
        return
    word = "trigger.cluster" if trigger.cluster else "trigger"
    others = ", ".join(code.of(one) for one in trigger.refs if one is not ref)
    start, end = trigger.refs[0].span.start, trigger.refs[-1].span.end
    yield from code.replaced(Span(start, end), f"{code.of(ref)} after {joined}")
    yield code.after(trigger, f"{word} {others};")


def _trigger_of(code: Code, copy: ast.Copy) -> tuple[ast.Trigger, ast.Expr] | None:
    """The next trigger of the very reference behind the copy: in its block, or in one around it."""
    node: ast.Node = copy
    for outer in (*reversed(code.around[copy].chain), None):
        block = code.blocks[node]
        at = next(number for number, stmt in enumerate(block.stmts) if stmt is node)
        for stmt in block.stmts[at + 1 :]:
            if isinstance(stmt, ast.Trigger):
                ref = next((one for one in stmt.refs if copy.event and _same_slot(code, one, copy.event)), None)
                if ref is not None:
                    return stmt, ref
        if outer is None or isinstance(outer, ast.InThreads | ast.Parallel):
            return None
        node = outer
    return None


def _same_slot(code: Code, one: ast.Expr, other: ast.Expr) -> bool:
    """Whether two references name one slot of one event: by the same words, or subscripts of the same value."""
    if shape_of(one) == shape_of(other):
        return True
    values = [code.model.values.get(index) for index in (subscript(one), subscript(other)) if index is not None]
    return code.event_of(one) is code.event_of(other) and len(values) == 2 and values[0] == values[1] is not None


def _operand(code: Code, copy: ast.Copy) -> Span | None:
    """The place of `.async<…>`."""
    found = _OPERAND.search(code.bare, copy.span.start, copy.source.span.start)
    if found is None or copy.event is None or code.text[copy.event_span.start : copy.event_span.start + 1] != "<":
        return None
    end = code.bare.find(">", copy.event.span.end, copy.source.span.start)
    return None if end < 0 else Span(found.start(), end + 1)


def _stem(copy: ast.Copy) -> str:
    """A name for the future: that of the buffer, `_f` for its `_s`."""
    name = None if isinstance(copy.dest, ast.StorageDest | ast.Select) else base_name(copy.dest)
    return f"{name.id.removesuffix('_s')}_f" if name is not None else "copied"
