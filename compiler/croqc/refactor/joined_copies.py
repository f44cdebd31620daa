"""Futures joined into a trigger become synchronous copies in front of it (reference, chapter 0; current to course).

    a_f = tma.load.async.swiz<128> a.subspan(64, 64).at(b, k) => a_s[s];
    w_f = tma.load.async.swiz<128> w.subspan(64, 64).at(q, k) => w_s[s];
    trigger full[s] after a_f, w_f;

becomes

    tma.copy.swiz<128> a.subspan(64, 64).at(b, k) => a_s[s];
    tma.copy.swiz<128> w.subspan(64, 64).at(q, k) => w_s[s];
    trigger full[s];

The copies are synchronous only in the source: their bytes belong to the next trigger (credit-flow, section 6).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from croqc.refactor.base import Code, Outcome, Refusal
from croqc.sema.roots import base_name
from croqc.syntax import ast
from croqc.text.edits import Edit
from croqc.text.span import Span

TITLE = "Copy synchronously in front of the trigger"
_TARGET = re.compile(r"\w+\s*=\s*")
_ASYNC = re.compile(r"\.\s*async\b")
_LOAD = re.compile(r"\.\s*load\b")


def sites(code: Code) -> Iterator[ast.Trigger]:
    return (stmt for stmt in code.around if isinstance(stmt, ast.Trigger) and stmt.after)


def applies(code: Code, offset: int) -> bool:
    return any(stmt.span.touches(offset) for stmt in sites(code))


def edits(code: Code, trigger: ast.Trigger) -> Outcome:
    made = [*code.replaced(Span(trigger.refs[-1].span.end, trigger.after[-1].span.end), "")]
    for future in trigger.after:
        copy = _only_copy(code, trigger, future)
        if isinstance(copy, Refusal):
            return copy
        made += _synchronous(code, copy)
    return tuple(made)


def _only_copy(code: Code, trigger: ast.Trigger, future: ast.Expr) -> ast.Copy | Refusal:
    """The one copy behind a future that nothing but this trigger mentions."""
    name = base_name(future)
    symbol = code.model.uses.get(name) if name is not None else None
    copies = [
        stmt
        for stmt in code.around
        if isinstance(stmt, ast.Copy) and stmt.target is not None and code.model.uses.get(stmt.target) is symbol
    ]
    if symbol is None or len(copies) != 1:
        return Refusal("the future stands for more than one copy", future.span)
    copy = copies[0]
    other = [one for one, meant in code.model.uses.items() if meant is symbol and one not in (name, copy.target)]
    if other:
        return Refusal(f"'{symbol.name}' is used elsewhere, too", other[0].span)
    if code.blocks.get(copy) is not code.blocks.get(trigger):
        return Refusal(f"'{symbol.name}' is copied in another block than its trigger", copy.span)
    if copy.after is not None:
        return Refusal(f"'{symbol.name}' is chained to another copy", copy.span)
    return copy


def _synchronous(code: Code, copy: ast.Copy) -> Iterator[Edit]:
    head = _TARGET.match(code.bare, copy.span.start)
    if head is not None and copy.target is not None:
        yield from code.replaced(Span(*head.span()), "")
    found = _ASYNC.search(code.bare, copy.op_span.start, copy.source.span.start)
    if found is not None:
        yield from code.replaced(Span(*found.span()), "")
    hinted = any(one.name in ("evict_first", "evict_last") for one in copy.modifiers)
    load = _LOAD.match(code.bare, copy.op_span.start)
    if copy.op == "load" and load is not None and not hinted:
        yield from code.replaced(Span(*load.span()), ".copy")
