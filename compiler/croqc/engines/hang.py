"""A run that is stuck: which path waits where for what, who owes it, and the words for it. Must not know an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from croqc.flow.paths import comes_to, enters, kernel_paths
from croqc.runs.report import HangEntry
from croqc.sema.model import Kernel, Model, Symbol
from croqc.sema.nesting import statements
from croqc.sema.slot_text import subscripts
from croqc.sema.types import Event
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.source import Source
from croqc.text.span import Span

_MOST_STRETCHES = 3


@dataclass(frozen=True, slots=True)
class Debtor:
    """A path that has a trigger of the awaited event, the trigger, and where the path stands (None: it has ended)."""

    path: str
    trigger: Span
    stands: Span | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an event's slot has come: completed generations, arrivals that one needs and that have come, and who made
    the arrivals that count, at which statement: of the generation that completed last, if that lies behind the awaited
    one, else of this."""

    completed: int
    needed: int
    arrivals: tuple[tuple[str, Span], ...]


@dataclass(frozen=True, slots=True)
class HungPath:
    """A path that waits for ever; spans relative to the function's `__co__`. `slot` None: a single event or no event;
    `shape`: the extents of the event's array.

    `owed_by` is empty where nothing in the kernel triggers the event; `progress` is None for what is no event.
    `absent`: the threads of the path that do not come to a barrier which all of them must reach.
    """

    path: str
    span: Span
    event: str
    slot: int | None
    generation: int
    owed_by: tuple[Debtor, ...]
    progress: Progress | None = None
    absent: tuple[int, ...] = ()
    shape: tuple[int, ...] = ()

    @property
    def overtaken(self) -> bool:
        """The awaited generation is complete, but so is a later one, and the parity is the same as before both."""
        return self.progress is not None and self.progress.completed > self.generation


def debtors(model: Model, kernel: Kernel, event: Symbol, standing: Mapping[str, Span]) -> tuple[Debtor, ...]:
    """The paths that trigger an event somewhere. `standing`: where each path stands that has not ended."""
    found = []
    for path in kernel_paths(model, kernel):
        sites = [
            stmt.span
            for stmt, around in statements(kernel.node.body)
            if isinstance(stmt, ast.Trigger)
            and _names(model, stmt, event)
            and comes_to(path, around.parallels)
            and all(enters(path, region) is not False for region in around.regions)
        ]
        if sites:
            found.append(Debtor(path.name, sites[-1], standing.get(path.name)))
    return tuple(found)


def event_at(model: Model, name: Span) -> Symbol | None:
    """The event of the source whose name stands at a place; None for a barrier of the lowering's own."""
    return next((each for each in model.symbols if isinstance(each.type, Event) and each.name_span == name), None)


def _names(model: Model, stmt: ast.Trigger, event: Symbol) -> bool:
    return any(model.uses.get(name) is event for ref in stmt.refs for name in walk(ref) if isinstance(name, ast.Name))


def hang_entry(hung: HungPath, source: Source, base: int) -> HangEntry:
    """The entry of the report: `base` is the offset of the function's `__co__` in the text."""
    return HangEntry(
        hung.path,
        source.position(hung.span.start + base),
        source.position(hung.span.end + base),
        hung.event,
        hung.slot,
        hung.generation,
        owed_by_text(hung, source, base),
        subscripts(hung.slot, hung.shape),
    )


def owed_by_text(hung: HungPath, source: Source, base: int) -> str:
    """Who owes the generation, in one line: "path w == 1 (waits in line 31, triggers it in line 40)"."""

    def line(span: Span) -> int:
        return source.line_of(span.start + base) + 1

    if hung.absent:
        return f"{_threads(hung.absent)}, which do not come here"
    if hung.progress is not None and hung.overtaken:
        return _overtaken(hung, hung.progress, line)
    if not hung.owed_by:
        return "nobody: nothing triggers it"
    debtors = "; ".join(
        f"{debtor.path} ({'has ended' if debtor.stands is None else f'waits in line {line(debtor.stands)}'}"
        f", triggers it in line {line(debtor.trigger)})"
        for debtor in hung.owed_by
    )
    return debtors + _missing(hung, line)


def _threads(numbers: tuple[int, ...]) -> str:
    """ "threads 0 to 3 and 64 to 127"; those of many stretches by their number."""
    starts = [at for at, number in enumerate(numbers) if at == 0 or number != numbers[at - 1] + 1]
    if len(starts) > _MOST_STRETCHES:
        return f"{len(numbers)} threads, from {numbers[0]} to {numbers[-1]}"
    stretches = [numbers[at:end] for at, end in pairwise([*starts, len(numbers)])]
    spelled = [str(each[0]) if len(each) == 1 else f"{each[0]} to {each[-1]}" for each in stretches]
    return f"thread{'s' if len(numbers) > 1 else ''} {' and '.join(spelled)}"


def _overtaken(hung: HungPath, progress: Progress, line: Callable[[Span], int]) -> str:
    """Not a missing arrival but one too many: a wait sees one bit, and two completions turn it back."""
    last = progress.completed - 1
    who = " and ".join(dict.fromkeys(f"{path} in line {line(span)}" for path, span in progress.arrivals))
    by = f" by {who}," if who else ""
    return (
        f"nobody: generation {last} completed,{by} before {hung.path} had passed generation {hung.generation}:"
        " the parity repeats"
    )


def _missing(hung: HungPath, line: Callable[[Span], int]) -> str:
    """How many arrivals of a generation that needs several have come."""
    progress = hung.progress
    if progress is None or progress.needed == 1:
        return ""
    came = ", ".join(f"{path} in line {line(span)}" for path, span in progress.arrivals)
    which = "" if progress.completed == hung.generation else f" of generation {progress.completed}"
    count = f"{len(progress.arrivals)} of {progress.needed} arrivals{which} came"
    return f"; {count}: {came}" if came else f"; {count}"
