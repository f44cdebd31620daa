"""Edits that let every reference of a turn mean the slot it works on. Must not word findings.

Candidates, as those of `credit_candidates`: whoever takes one tries it out first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache

from croqc.refactor.base import Code
from croqc.rules.credit_edits import slots_text
from croqc.rules.credit_sites import Loop, event_type, fills_shared, grants, statements_of
from croqc.rules.credit_words import fix
from croqc.rules.flow_places import nodes_at, region_of
from croqc.rules.slot_remainders import Slot, slot_in, slot_remainders
from croqc.sema.events import order_of
from croqc.sema.model import SymbolKind
from croqc.sema.types import Data, Event
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit
from croqc.text.span import Span

_MANY = 64  # edits of a fix that stands beside each finding

# --- remainders --------------------------------------------------------------------------------------


def one_modulus(code: Code) -> Iterator[Fix]:
    """The length of a ring for every remainder by another number that numbers a slot of it."""
    for length, text in _lengths(code).items():
        wrong = []
        for node in slot_remainders(code, code.model.function.body, _of(length)):
            right = code.model.values.get(node.right)
            if right is not None and right.const not in (None, length):
                wrong.append(node.right.span)
        edits = tuple(Edit(span, text) for span in dict.fromkeys(wrong))
        yield from fix(f"Use '{text}' as the modulus", edits, safe=True)


def reduced(code: Code, place: Span) -> tuple[str, tuple[Fix, ...]]:
    """What a reference is with `k % N` for a `k` that leaves its ring of N slots, in a loop that waits for something;
    the fix writes it wherever `k` names a slot of such a ring. It stands beside each of them, if they are not very
    many."""
    wrong = _named_slots(code)[0].get(place)
    if wrong is None or wrong.length is None or not _goes_on(code, wrong.index):
        return "", ()
    index = code.of(wrong.index)
    length = _lengths(code).get(wrong.length, str(wrong.length))
    text = f"{index} % {length}" if isinstance(wrong.index, ast.Name) else f"({index}) % {length}"
    array = wrong.array
    shown = f"{array.name}[{text}]" if isinstance(array.type, Data | Event) and array.type.array else text
    places = _named_slots(code)[1].get((wrong.length, index), [])
    if not places:
        return "", ()
    if len(places) > _MANY and place != places[0]:
        return shown, ()
    return shown, fix(f"Use '{text}' as the slot", tuple(Edit(span, text) for span in dict.fromkeys(places)))


@lru_cache(maxsize=2)
def _named_slots(code: Code) -> tuple[dict[Span, Slot], dict[tuple[int | None, str], list[Span]]]:
    """The slots that a function names, by their place; and the places of those that are not granted at start, by the
    length of the ring and the text: a thousand references may leave one ring."""
    slots = [slot for node in walk(code.model.function) if (slot := slot_in(code, node)) is not None]
    refs = (grant.site.ref for event in code.events for grant in grants(code, event) if grant.loop is not None)
    kept = {node.span for ref in refs for node in walk(ref)}
    alike: dict[tuple[int | None, str], list[Span]] = {}
    for slot in slots:
        if slot.index.span not in kept:
            alike.setdefault((slot.length, code.of(slot.index)), []).append(slot.index.span)
    return {slot.index.span: slot for slot in reversed(slots)}, alike


def _goes_on(code: Code, index: ast.Expr) -> bool:
    """Whether the text shows an index that counts the turns of a loop with waits, and is not reduced."""
    nodes = list(walk(index))
    if any(isinstance(node, ast.Name | ast.IntLit) and node.macro for node in nodes):
        return False
    if any(isinstance(node, ast.Binary) and node.op == "%" for node in nodes):
        return False
    symbols = [code.model.uses.get(node) for node in nodes if isinstance(node, ast.Name)]
    places = [one.name_span for one in symbols if one is not None and one.kind is SymbolKind.LOOP]
    loops = [node for node in nodes_at(code, index.span) if isinstance(node, ast.Foreach)]
    own = [loop for loop in loops if any(_holds(loop.span, at) and not _holds(loop.body.span, at) for at in places)]
    return any(isinstance(stmt, ast.Wait) for loop in own for stmt in statements_of(loop))


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def unshifted(code: Code) -> Iterator[Fix]:
    """`k % N` for the `(k + 1) % N` of a role where another role names the slots of the ring without the shift."""
    edits: dict[ast.InThreads, list[Edit]] = {}
    for length in _lengths(code):
        found = list(slot_remainders(code, code.model.function.body, _of(length)))
        plain = {region_of(code, node.span) for node in found if isinstance(node.left, ast.Name)} - {None}
        for node in found:
            role, edit = region_of(code, node.span), without_shift(code, node)
            if role is not None and edit is not None and plain - {role}:
                edits.setdefault(role, []).append(edit)
    for made in edits.values():
        yield from fix("Name the slots as the other role does", tuple(made), safe=True)


def without_shift(code: Code, node: ast.Binary) -> Edit | None:
    """Leaves the number out that is added to what counts the turns, left of a `%`; None where there is none."""
    if not code.written(node):
        return None
    index = _counted(code, node.left)
    if index is not None:
        return Edit(Span(node.span.start, node.left.span.end), code.of(index))
    sum_ = node.left.inner if isinstance(node.left, ast.Paren) else node.left
    match sum_:
        case ast.Binary(op="+" | "-", left=rest, right=number):
            value = code.model.values.get(number)
            if value is not None and value.const is not None:
                whole = node.left if isinstance(rest, ast.Name) else sum_  # others keep their parentheses
                return Edit(whole.span, code.of(rest))
    return None


def _counted(code: Code, left: ast.Expr) -> ast.Name | None:
    """The one index of a loop that a value differs from by what is the same in every turn: a number, the block."""
    names = [name for name in walk(left) if isinstance(name, ast.Name)]
    indices = [name for name in names if getattr(code.model.uses.get(name), "kind", None) is SymbolKind.LOOP]
    whole, index = code.model.values.get(left), code.model.values.get(indices[0]) if len(indices) == 1 else None
    if whole is None or index is None or left is indices[0]:
        return None
    return indices[0] if not (whole - index).names() & index.names() else None


def _of(length: int) -> Callable[[Slot], bool]:
    return lambda slot: slot.length == length


@lru_cache(maxsize=2)
def _lengths(code: Code) -> dict[int, str]:
    """The lengths of rings as the declarations of their events write them, unless they do it in several ways."""
    written: dict[int, set[str]] = {}
    for event in code.events:
        text = slots_text(code, event)
        if text is not None:
            written.setdefault(event_type(event).array[0], set()).add(text)
    return {length: texts.pop() for length, texts in written.items() if len(texts) == 1}


# --- the slot of a turn ------------------------------------------------------------------------------


def one_slot(code: Code) -> Iterator[Fix]:
    """The slot that a turn names most for each that it names otherwise."""
    for loop in code.around:
        if not isinstance(loop, Loop) or any(
            isinstance(node, Loop) and _names_slots(code, node) for node in statements_of(loop)
        ):
            continue
        edits = [edit for slots in _slots(code, loop) for edit in _as_usual(code, slots)]
        yield from fix("Name the slot that the turn works on", tuple(edits))


def _as_usual(code: Code, slots: list[ast.Expr]) -> list[Edit]:
    """The text that most of some slots have, for the others."""
    ranked = Counter(code.of(slot) for slot in slots).most_common(2)
    if len(ranked) < 2 or ranked[0][1] == ranked[1][1]:
        return []
    return [Edit(slot.span, ranked[0][0]) for slot in slots if code.of(slot) != ranked[0][0]]


def _slots(code: Code, loop: ast.Node) -> tuple[list[ast.Expr], list[ast.Expr]]:
    """The slots of events and of staged buffers that a turn names, and the orders of `e.at(order)`."""
    slots: dict[ast.Expr, None] = {}
    orders: dict[ast.Expr, None] = {}
    for node in walk(loop):
        if not isinstance(node, ast.Chain):
            continue
        order, found = order_of(node), slot_in(code, node)
        slot = order if order is not None else found.index if found is not None else None
        if slot is not None and slot.span.length and node.span.start <= slot.span.start:
            (orders if slot is order else slots)[slot] = None
    return list(slots), list(orders)


def _names_slots(code: Code, loop: ast.Node) -> bool:
    return any(isinstance(node, ast.Wait | ast.Trigger) for node in statements_of(loop)) or fills_shared(code, loop)
