"""Pass inflight: one group of multiplies stays in flight over a turn of a consumer's loop.

A turn that ends `commit; trigger empty[s]` waits for its own multiplies before the next ones are issued. Instead it
waits for those of the turn before, and gives that turn's slot back; behind the loop the last one follows. The
tensor cores never run dry between turns.

Tiles wider than 128 columns are left alone: their multiplies outlast the gap between two turns, and a slot that is held
for longer costs more than is won.

Equal where the ring has two slots or more, the slot moves on with every turn, and whoever waits for such a slot fills
and publishes that very slot in the same turn, for every event that the consumer waits for, and goes through the ring
likewise: then the next turn needs another slot than the one that is held back. A loader that publishes a turn late, or
a second ring, could wait for it in a circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.exprs import ONE, ZERO, Expr, Lit, Op, Var, add, integer, modulo, substituted, subtract
from croqc.pipe.walk import Body, rewrite_lists, statements
from croqc.text.record import record, replace

_WIDEST = 128  # columns


def inflight(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    slots = {event.name: event.slots for event in kernel.events}
    return replace(kernel, body=rewrite_lists(kernel.body, lambda part: _changed(part, slots, kernel)))


def _changed(body: Body, slots: dict[str, int], kernel: ir.Kernel) -> Body:
    found: list[ir.Stmt] = []
    for stmt in body:
        fits = isinstance(stmt, ir.Loop) and _fits(stmt, slots) and _answered(stmt, kernel, slots)
        found += _kept(stmt, slots) if isinstance(stmt, ir.Loop) and fits else (stmt,)
    return tuple(found)


def _fits(loop: ir.Loop, slots: dict[str, int]) -> bool:
    """Whether a loop waits, multiplies, commits and gives its slot back, and does nothing else.

    Its waits are its own: one in a loop inside may be for what is filled only when the slot held back is given."""
    if len(loop.body) < 4 or (loop.start, loop.step) != (ZERO, ONE):
        return False
    *head, commit, arrive = loop.body
    if not isinstance(arrive, ir.Arrive) or arrive.bytes or arrive.after:
        return False
    multiplies = [each for each in statements(loop.body) if isinstance(each, ir.Multiply)]
    if commit != ir.Commit(commit.span) or not multiplies or max(each.n for each in multiplies) > _WIDEST:
        return False
    if any(each.instruction is not ir.Instruction.WGMMA for each in multiplies):
        return False
    plain = all(isinstance(each, ir.Let | ir.Fence | ir.Multiply | ir.Loop) for each in _but_own_waits(head))
    ring = _ring(arrive.slot, loop, slots)
    return plain and ring is not None and ring.length >= 2


def _but_own_waits(body: Iterable[ir.Stmt]) -> Iterator[ir.Stmt]:
    """The statements in and under a list, without the waits of the list itself."""
    return statements(tuple(stmt for stmt in body if not isinstance(stmt, ir.Wait)))


def _answered(loop: ir.Loop, kernel: ir.Kernel, slots: dict[str, int]) -> bool:
    """Whether every arrival on an event that the loop waits for stands behind a wait for the same slot of the event
    that the loop gives back, in the turns of a loop that goes through the ring likewise."""
    given = loop.body[-1]
    assert isinstance(given, ir.Arrive)
    awaited = {stmt.slot.event for stmt in loop.body if isinstance(stmt, ir.Wait)}
    arrivals = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Arrive) and stmt.slot.event in awaited]
    turns = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Loop) and stmt.start == ZERO]
    own = _ring(given.slot, loop, slots)
    answers = [
        stmt
        for turn in turns
        for stmt in _in_turn(turn.body, given.slot.event, awaited)
        if turn.step == ONE and _is_as_long(_ring(stmt.slot, turn, slots), own)
    ]
    return bool(awaited) and len(answers) == len(arrivals)


def _is_as_long(one: _Ring | None, other: _Ring | None) -> bool:
    return one is not None and other is not None and one.length == other.length


def _in_turn(body: Body, given: str, awaited: set[str]) -> Iterator[ir.Arrive]:
    """The arrivals of a list that answer a wait in it, slot for slot."""
    held: list[tuple[Expr, bool]] = []
    for stmt in body:
        if isinstance(stmt, ir.Wait) and stmt.slot.event == given:
            held.append((stmt.slot.at, stmt.slot.ordered))
        elif isinstance(stmt, ir.Arrive) and stmt.slot.event in awaited and (stmt.slot.at, stmt.slot.ordered) in held:
            yield stmt


@record
class _Ring:
    """Slots that a loop goes through one after the other: so many, from `first` on, which is the same in all turns."""

    first: Expr
    length: int


def _ring(slot: ir.SlotRef, loop: ir.Loop, slots: dict[str, int]) -> _Ring | None:
    """The ring that a loop goes through by order, or modulo its length; it may be a part of the event's slots. None
    where it goes otherwise."""
    at, count = _by_index(slot.at, loop), slots[slot.event]
    first: Expr = ZERO
    if slot.ordered:
        return _Ring(ZERO, count) if at == Var(loop.name) else None
    match at:
        case Op(op="+", args=(base, rest)) if _stays(base, loop):
            first, at = base, rest
    match at:
        case Op(op="%", args=(Var(name=name), Lit(value=int() as length))) if name == loop.name and length <= count:
            return _Ring(first, length)
    return None


def _stays(expr: Expr, loop: ir.Loop) -> bool:
    """Whether a value is certainly the same in all turns: made of numbers and of names that no turn gives a value."""
    inside = statements(loop.body)
    given = {loop.name, *(each.name for each in inside if isinstance(each, ir.Let | ir.Set | ir.Loop))}
    match expr:
        case Lit():
            return True
        case Var(name=name):
            return name not in given
        case Op(args=args):
            return all(_stays(each, loop) for each in args)
    return False


def _by_index(at: Expr, loop: ir.Loop) -> Expr:
    """A slot in terms of the loop's index: the names of values in its body replaced by these."""
    lets = {each.name: each.value for each in loop.body if isinstance(each, ir.Let) and not each.changes}
    for _ in lets:  # their values may have names of others
        at = substituted(at, lets)
    return at


def _kept(loop: ir.Loop, slots: dict[str, int]) -> Body:
    """The slot of the turn before follows from the index: a variable that the loop carried would keep the assembler
    from seeing that nothing reads the accumulators while multiplies are in flight."""
    *head, commit, arrive = loop.body
    assert isinstance(arrive, ir.Arrive)
    ring = _ring(arrive.slot, loop, slots)
    assert ring is not None
    turn = (*head, ir.Commit(commit.span, 1), *_release(arrive, ring, Var(loop.name)))
    return (
        replace(loop, body=turn),
        ir.Commit(commit.span, closes=False),
        *_release(arrive, ring, loop.stop),
    )


def _release(arrive: ir.Arrive, ring: _Ring, turns: Expr) -> Body:
    """Gives back the slot of the last of some turns, if there was one."""
    count = integer(turns)
    if count is not None and count <= 0:
        return ()
    last = subtract(turns, ONE)
    at = last if arrive.slot.ordered else add(ring.first, modulo(last, Lit(ring.length)))
    given = replace(arrive, slot=replace(arrive.slot, at=at))
    return (given,) if count is not None else (ir.If(arrive.span, Op(">", (turns, ZERO), "bool"), (given,)),)
