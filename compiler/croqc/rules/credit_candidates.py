"""Edits that mend the usual slips of a credit flow wherever they stand, whatever finding they show as.

Each is a candidate only: whoever takes one tries it out first (`service.fix_trials`). Must not word findings, and must
not suggest what takes work away that the kernel does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from croqc.refactor.base import Code
from croqc.rules.base import Subject
from croqc.rules.credit_edits import is_plain, slot_of, unwrapped
from croqc.rules.credit_sites import Loop, code_of, event_type, fills_shared, grants, sites, statements_of
from croqc.rules.credit_slips import doubled
from croqc.rules.credit_words import fix
from croqc.rules.flow_places import Seat, inside, quoted, symbols, touches
from croqc.rules.role_exits import left_early
from croqc.rules.slot_remainders import slot_remainders
from croqc.sema.events import order_of
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit

_WORDS = {ast.Wait: "Wait", ast.Trigger: "Trigger", ast.MmaCommit: "Commit"}


def candidates(subject: Subject) -> tuple[Fix, ...]:
    """The candidates of a function, the likeliest first."""
    code = code_of(subject)
    kinds = (_in_every_turn, _placed, _one_modulus, _one_slot, _doubled, left_early)
    return tuple(dict.fromkeys(one for kind in kinds for one in kind(code)))


def _doubled(code: Code) -> Iterator[Fix]:
    for event in code.events:
        yield from doubled(code, event)


def _in_every_turn(code: Code) -> Iterator[Fix]:
    """A wait, a trigger or a commit that stands alone under a condition, without it."""
    for guard in code.around:
        if not isinstance(guard, ast.If) or len(guard.then.stmts) != 1 or guard.other is not None:
            continue
        inner = guard.then.stmts[0]
        word = next((word for kind, word in _WORDS.items() if isinstance(inner, kind)), None)
        around = code.around[guard].chain
        bare = unwrapped(code, guard) if word and around and isinstance(around[-1], Loop) else None
        if bare is not None and code.written(inner):
            name = quoted(symbols(code, getattr(inner, "refs", ())))
            what = f"{word} for {name}" if isinstance(inner, ast.Wait) else f"{word} {name}".rstrip()
            yield from fix(f"{what} in every turn", (bare,))


# --- order in a turn -------------------------------------------------------------------------------


def _placed(code: Code) -> Iterator[Fix]:
    """The one wait of a turn, or its one trigger, on the right side of the work."""
    started = {grant.site.stmt for event in code.events for grant in grants(code, event)}
    alike = Counter((site.loop, type(site.stmt)) for site in sites(code))
    for site in sites(code):
        block = code.blocks.get(site.stmt)
        if site.loop is None or block is None or not block.braced or site.stmt in started:
            continue
        if alike[site.loop, type(site.stmt)] > 1:
            continue
        seat = Seat(block, site.stmt)
        work = [stmt for stmt in (*seat.before, *seat.later) if touches(stmt)]
        if not work or not (code.written(work[0]) and code.written(work[-1])):
            continue
        if isinstance(site.stmt, ast.Wait) and work[0] in seat.before and is_plain(code, site.stmt, "wait"):
            edits = (code.before(work[0], code.of(site.stmt)), code.removal(site.stmt))
            yield from fix(f"Wait for '{site.event.name}' first", edits, safe=True)
        if isinstance(site.stmt, ast.Trigger) and work[-1] in seat.later and is_plain(code, site.stmt, "trigger"):
            commit = ["mma.commit;"] if _is_open(code, work) else []
            edits = (code.removal(site.stmt), code.after(work[-1], *commit, code.of(site.stmt)))
            yield from fix(f"Trigger '{site.event.name}' when the work is done", edits, safe=True)


def _is_open(code: Code, work: list[ast.Node]) -> bool:
    """Whether multiplies among some statements of a turn are not committed."""
    if code.model.ends_at_statement:
        return False
    nodes = [node for stmt in work for node in inside(stmt)]
    multiplies = any(isinstance(node, ast.Mma) and node.form != "scale" for node in nodes)
    return multiplies and not any(isinstance(node, ast.MmaCommit) for node in nodes)


# --- slots -----------------------------------------------------------------------------------------


def _one_modulus(code: Code) -> Iterator[Fix]:
    """The length of the events for every remainder by another number that numbers a slot."""
    lengths = {event_type(event).array[0] for event in code.events if len(event_type(event).array) == 1}
    texts = {
        code.of(event.decl.array[0])
        for event in code.events
        if isinstance(event.decl, ast.EventName) and len(event.decl.array) == 1
    }
    if len(lengths) != 1 or len(texts) != 1:
        return
    (length,), (text,) = lengths, texts
    wrong = []
    for node in slot_remainders(code, code.model.function.body):
        right = code.model.values.get(node.right)
        if right is not None and right.const not in (None, length):
            wrong.append(node.right.span)
    yield from fix(f"Use '{text}' as the modulus", tuple(Edit(span, text) for span in dict.fromkeys(wrong)), safe=True)


def _one_slot(code: Code) -> Iterator[Fix]:
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
        view, order = code.model.views.get(node), order_of(node)
        if code.event_of(node) is not None:
            slot = slot_of(node)
        else:
            slot = view.slots[0] if view is not None and len(view.slots) == 1 else None
        if slot is not None and slot.span.length and node.span.start <= slot.span.start:
            (orders if slot is order else slots)[slot] = None
    return list(slots), list(orders)


def _names_slots(code: Code, loop: ast.Node) -> bool:
    return any(isinstance(node, ast.Wait | ast.Trigger) for node in statements_of(loop)) or fills_shared(code, loop)
