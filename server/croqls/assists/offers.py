"""The refactorings that fit a place: one line each in OFFERS. Must not rewrite (see `croqc.refactor`) or know LSP.

Every offer is tried out first: what would not parse, have new findings or another model is not offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from croqc.refactor import async_event, bootstrap, event_order, joined_copies, ring, rotate, stages
from croqc.refactor.base import Code, Outcome, Refusal, code_of
from croqc.refactor.equal import attempt
from croqc.sema.model import Symbol
from croqc.sema.types import Event
from croqc.service.migrate import migrate
from croqc.syntax import ast
from croqc.text.edits import Edit
from croqls.assists.kinds import MIGRATE, REWRITE
from croqls.ide.carry import difference
from croqls.ide.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Assist:
    """An offered edit; places are absolute. `kind` is an LSP code-action kind. With a dialect in `to` the edits are
    those of `migrate`, and still to be made."""

    title: str
    kind: str
    edits: tuple[Edit, ...]
    to: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """Title and outcome of a refactoring at a place. `deeper`: it changes how many tiles are in flight."""

    title: str
    outcome: Outcome
    deeper: bool = False


Find = Callable[[Code, int], Iterator[Offer]]
OFFERS: tuple[Find, ...] = (
    lambda code, at: _loops(rotate.TITLE, rotate.sites, rotate.edits, code, at),
    lambda code, at: _loops(rotate.TITLE_BACK, rotate.triple_sites, rotate.to_swap, code, at),
    lambda code, at: _loops(ring.TITLE, ring.sites, ring.edits, code, at),
    lambda code, at: _event(event_order.TITLE, event_order.sites, event_order.edits, code, at),
    lambda code, at: _event(event_order.TITLE_BACK, event_order.ordered_sites, event_order.physical, code, at),
    lambda code, at: _event(bootstrap.TITLE, bootstrap.sites, bootstrap.edits, code, at),
    lambda code, at: _event(bootstrap.TITLE_BACK, bootstrap.ready_sites, bootstrap.started, code, at),
    lambda code, at: _stages(code, at),
    lambda code, at: _copies(code, at),
    lambda code, at: _joined(code, at),
)


def assists(snapshot: Snapshot, offset: int, later: bool = False) -> tuple[Assist, ...]:
    """What is offered at an absolute offset, refactorings of the place first, those of the file last.

    `later`: edits that cost more than to know that there are some are left to be made.
    """
    found: list[Assist] = []
    code = _code_at(snapshot, offset)
    if code is not None:
        for find in OFFERS:
            for offer in find(code, offset - code.base):
                if not isinstance(offer.outcome, Refusal) and offer.outcome:
                    tried = attempt(code, offer.outcome, deeper=offer.deeper)
                    if not isinstance(tried, Refusal):
                        edits = tuple(edit.shift(code.base) for edit in offer.outcome)
                        found.append(Assist(offer.title, REWRITE, edits))
    if code is None or offset - code.base <= code.model.function.body.span.start:
        found += migrations(snapshot, later)
    return tuple(found)


def migrations(snapshot: Snapshot, later: bool = False) -> Iterator[Assist]:
    """Moving the whole file to another dialect, as one edit, where that changes anything; `later` as of `assists`: then
    where the file's own forms are those of another dialect."""
    here = snapshot.report.dialect
    for to in ("current", "course"):
        if here == to or here == "any":
            continue
        title = f"Migrate this file to the {to} dialect"
        if later:
            yield Assist(title, MIGRATE, (), to)
            continue
        moved = migrate(snapshot.report, to, snapshot.below.defines)
        if moved.text != snapshot.text:
            yield Assist(title, MIGRATE, (difference(snapshot.text, moved.text),))


def _code_at(snapshot: Snapshot, offset: int) -> Code | None:
    here = snapshot.function_at(offset)
    if here is None or here.analysis is None:
        return None
    index = snapshot.report.functions.index(here)
    return code_of(snapshot.text, here.parsed, here.analysis, index, snapshot.below.defines)


# --- finders -------------------------------------------------------------------------------------

Loops = Callable[[Code], Iterator[ast.Foreach]]
Events = Callable[[Code], Iterator[Symbol]]


def _loops(
    title: str, sites: Loops, edits: Callable[[Code, ast.Foreach], Outcome], code: Code, at: int
) -> Iterator[Offer]:
    return (Offer(title, edits(code, loop), deeper=True) for loop in sites(code) if loop.span.touches(at))


def _event_at(code: Code, at: int) -> Symbol | None:
    """The event whose name stands at the place."""
    for name, symbol in code.model.uses.items():
        if name.span.touches(at) and isinstance(symbol.type, Event):
            return symbol
    return None


def _event(title: str, sites: Events, edits: Callable[[Code, Symbol], Outcome], code: Code, at: int) -> Iterator[Offer]:
    event = _event_at(code, at)
    if event is not None and event in set(sites(code)):
        yield Offer(title.format(event.name), edits(code, event))


def _stages(code: Code, at: int) -> Iterator[Offer]:
    event = _event_at(code, at)
    if event is None or event not in set(stages.sites(code)) or not isinstance(event.type, Event):
        return
    now = event.type.array[0]
    for number in (now + 1, now - 1):
        if number >= 1:
            title = stages.TITLE.format(number) if number > 1 else "Change to one stage"
            yield Offer(title, stages.edits(code, event, number), deeper=True)


def _copies(code: Code, at: int) -> Iterator[Offer]:
    for site in async_event.sites(code):
        if any(copy.span.touches(at) for copy in site.copies):
            yield Offer(async_event.TITLE, async_event.edits(code, site))


def _joined(code: Code, at: int) -> Iterator[Offer]:
    for trigger in joined_copies.sites(code):
        if trigger.span.touches(at):
            yield Offer(joined_copies.TITLE, joined_copies.edits(code, trigger))
