"""Slots of an event by the order of their use, `e.at(k)`, instead of by hand, `e[k % N]`, and back (credit-flow, 2).

    foreach {k} in [cdiv(K, 64)] {
      stage = k % 2;
      wait empty[stage];
      dma.copy a.subspan(64, 64).at(b, k) => a_s[stage];
      trigger full[stage];
    }

becomes, if every `wait` and `trigger` of the event counts like this (chapter 0: in a loop that a path enters once),

    foreach {k} in [cdiv(K, 64)] {
      stage = k % 2;
      wait empty.at(k);
      dma.copy a.subspan(64, 64).at(b, k) => a_s[stage];
      trigger full.at(k);
    }

A bootstrap in front of the loops stays as it is. Must not change which slot is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from croqc.refactor.base import Code, Outcome, Refusal, subscript
from croqc.refactor.bootstrap import bootstraps
from croqc.refactor.equal import is_proved
from croqc.sema.events import order_of
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.symbolic import Int
from croqc.sema.types import Event
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.edits import Edit
from croqc.text.span import Span

TITLE = "Count the slots of '{}' by order"
TITLE_BACK = "Name the slots of '{}' by hand"


def sites(code: Code) -> Iterator[Symbol]:
    """Event arrays with a physical slot in a steady `wait` or `trigger`."""
    for event in code.events:
        if any(subscript(ref) is not None for _, ref in _steady(code, event)):
            yield event


def applies(code: Code, event: Symbol) -> bool:
    return event in set(sites(code)) and not isinstance(edits(code, event), Refusal)


def edits(code: Code, event: Symbol) -> Outcome:
    """`e[k % N]` to `e.at(k)` at every steady site of the event."""
    assert isinstance(event.type, Event)
    if len(event.type.array) != 1:
        return Refusal(f"'{event.name}' has no order: it is no array of one dimension", event.name_span)
    made: list[Edit] = []
    seen: set[tuple[ast.Node, type]] = set()
    for stmt, ref in _steady(code, event):
        index, order = subscript(ref), order_of(ref)
        counted = index or order
        if counted is None:
            return Refusal(f"'{event.name}' is not subscripted here", ref.span)
        loop = _counting_loop(code, stmt, counted, Int.of(event.type.array[0]) if index else None)
        if isinstance(loop, Refusal):
            return loop
        site = _role(code, stmt), type(stmt)
        if site in seen:
            return Refusal(f"'{event.name}' is counted at two places of one region", stmt.span)
        seen.add(site)
        if index is not None:
            at = _subscripts(code, ref, r"\s*\[")
            if at is None:
                return Refusal("a macro writes the slot", ref.span)
            made += code.replaced(at, f".at({loop.bindings[0].names[0].id})")
    return tuple(made)


def _subscripts(code: Code, ref: ast.Expr, begin: str) -> Span | None:
    """The place of what stands behind the name of an event; None where a macro writes it."""
    at = Span(ref.base.span.end, ref.span.end) if isinstance(ref, ast.Chain) else ref.span
    text = code.bare[at.start : at.end]
    written = re.compile(rf"{begin}.*[])]\s*", re.DOTALL).fullmatch(text)
    return at if written and text.count("(") == text.count(")") else None


def _role(code: Code, stmt: ast.Node) -> ast.Node:
    """The region that a statement stands in, else the whole function."""
    return next(iter(code.around[stmt].regions[-1:]), code.model.function)


def _steady(code: Code, event: Symbol) -> Iterator[tuple[ast.Wait | ast.Trigger, ast.Expr]]:
    first = set(bootstraps(code, event))
    return ((stmt, ref) for stmt, ref in code.refs(event) if stmt not in first)


def _counting_loop(code: Code, stmt: ast.Node, index: ast.Expr, slots: Int | None) -> ast.Foreach | Refusal:
    """The loop over k for a slot k % N, or an order k, that runs from 0, once, and passes the statement each time."""
    value = code.model.values.get(index)
    chain = code.around[stmt].chain
    for at, loop in enumerate(chain):
        names = loop.bindings[0].names if isinstance(loop, ast.Foreach) and len(loop.bindings) == 1 else ()
        symbol = code.model.uses.get(names[0]) if len(names) == 1 else None
        if symbol is None or value is None or not symbol.atom:
            continue
        order = Int.of(symbol.atom)
        if value != (order.mod(slots) if slots is not None else order):
            continue
        assert isinstance(loop, ast.Foreach)
        return _entered_once(chain[:at], loop) or _each_time(loop, chain[at + 1 :]) or loop
    return Refusal("the slot does not follow from a loop's index alone", index.span)


def _entered_once(outer: tuple[ast.Node, ...], loop: ast.Foreach) -> Refusal | None:
    again = next((node for node in reversed(outer) if isinstance(node, ast.Foreach | ast.While)), None)
    if again is None:
        return None
    name = loop.bindings[0].names[0].id
    return Refusal(f"the loop over '{name}' runs more than once, and begins with slot 0 each time", loop.span)


def _each_time(loop: ast.Foreach, inner: tuple[ast.Node, ...]) -> Refusal | None:
    """Inside the loop nothing may skip or repeat the statement."""
    skips = (node for node in walk(loop) if isinstance(node, ast.Jump) and node.word == "continue")
    for node in (*inner, *skips):
        if isinstance(node, ast.Jump):
            return Refusal("a round of the loop may skip the statement", node.span)
        if isinstance(node, ast.Foreach | ast.While | ast.If):
            return Refusal("the statement is not reached exactly once in each round of the loop", node.span)
    return None


# --- back: `e.at(order)` to `e[order % N]` -------------------------------------------------------


def ordered_sites(code: Code) -> Iterator[Symbol]:
    """Event arrays with `.at(order)` somewhere."""
    for event in code.events:
        if any(order_of(ref) is not None for _, ref in code.refs(event)):
            yield event


def physical(code: Code, event: Symbol) -> Outcome:
    """`e.at(order)` to `e[order % N]`, or to a name in scope that has this value.

    The two agree where the order is in step with the path's own count: a loop's index is, all else has to be proved.
    """
    slots = _extent(code, event)
    made: list[Edit] = []
    plain = True
    seen: set[tuple[ast.Node, type]] = set()
    for stmt, ref in code.refs(event):
        order = order_of(ref)
        if order is None:
            continue
        if isinstance(order, ast.IncDec) or slots is None:
            return Refusal(f"'{code.of(ref)}' counts by itself and has no slot without its order", ref.span)
        site = _role(code, stmt), type(stmt)
        plain = plain and site not in seen and not isinstance(_counting_loop(code, stmt, order, None), Refusal)
        seen.add(site)
        at = _subscripts(code, ref, r"\s*\.\s*at\b")
        if at is None:
            return Refusal("a macro writes the order", ref.span)
        made += code.replaced(at, f"[{_physical(code, stmt, order, slots, event)}]")
    if not plain and not is_proved(code.analysis):
        return Refusal(f"that the orders of '{event.name}' are in step is not proved", event.name_span)
    return tuple(made)


def _physical(code: Code, stmt: ast.Node, order: ast.Expr, slots: str, event: Symbol) -> str:
    assert isinstance(event.type, Event)
    value = code.model.values.get(order)
    wanted = value.mod(Int.of(event.type.array[0])) if value is not None else None
    block = code.blocks.get(stmt)
    before = block.stmts[: block.stmts.index(stmt)] if block is not None else ()
    for known in before:
        for part in known.parts if isinstance(known, ast.Assign) else ():
            symbol = code.model.uses.get(part.target) if isinstance(part.target, ast.Name) else None
            fixed = symbol is not None and symbol.kind is SymbolKind.VARIABLE and not symbol.mutable
            if fixed and part.op == "=" and wanted is not None and code.model.values.get(part.value) == wanted:
                return code.of(part.target)
    text = code.of(order)
    simple = isinstance(order, ast.Name | ast.IntLit | ast.Paren | ast.Chain | ast.Builtin)
    return f"{text} % {slots}" if simple else f"({text}) % {slots}"


def _extent(code: Code, event: Symbol) -> str | None:
    """The number of slots as the declaration writes it."""
    array = event.decl.array if isinstance(event.decl, ast.EventName) else ()
    if len(array) != 1:
        return None
    text = code.of(array[0])
    return text if isinstance(array[0], ast.Name | ast.IntLit | ast.Paren) else f"({text})"
