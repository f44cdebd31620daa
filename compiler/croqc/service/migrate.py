"""Move a text to another dialect (reference, chapter 0): whole files, comments and layout kept. Must not write files.

Each step is a refactoring that shows that the model stays the same; older forms that are only spelled differently
are mended by the fixes of the rule `older-form`. What cannot be moved is told with its place and the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from croqc.refactor import (
    async_event,
    bootstrap,
    direct_operands,
    event_order,
    joined_copies,
    loaded_operands,
    registers,
    wait_phase,
)
from croqc.refactor.base import Code, Outcome, Refusal, read
from croqc.refactor.equal import attempt
from croqc.rules.base import Subject
from croqc.rules.older_form import forms
from croqc.rules.respellings import respell
from croqc.service.check import FileReport
from croqc.syntax.older import OlderForm
from croqc.text.edits import Edit, in_order
from croqc.text.record import replace
from croqc.text.span import Span

DIRECTIONS: Mapping[str, str] = {  # with a sentence for a person
    "current": "what the current compiler takes: '= ready' on events, '.at(order)', operands in shared memory",
    "course": "the form that the course teaches: bootstraps, slots by hand",
}
_NO_DEFINES: Mapping[str, str | None] = {}
_MOST_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that stays: its place in the text before, and why. `older`: the current compiler rejects it."""

    message: str
    span: Span
    older: bool


@dataclass(frozen=True, slots=True)
class Migration:
    """A migrated text, how many rewrites it took, what stays, and how many functions cannot be read."""

    text: str
    moved: int
    kept: tuple[Kept, ...]
    skipped: int


@dataclass(frozen=True, slots=True)
class Step:
    """A refactoring as a step: what it moves, the sites of a function, and the edits at one. `older` as in Kept."""

    what: str
    sites: Callable[[Code], Iterable[Any]]
    edits: Callable[[Code, Any], Outcome]
    older: bool = True


def _direct(code: Code, _: object) -> Outcome:
    return direct_operands.edits(code)


def _loaded(code: Code, _: object) -> Outcome:
    return loaded_operands.edits(code)


def _spellings(code: Code) -> Iterator[OlderForm]:
    subject = Subject(code.text, code.analysis, code.newline)
    return (form for form in forms(code.model) if respell(subject, form))


def _respell(code: Code, form: OlderForm) -> Outcome:
    fixes = respell(Subject(code.text, code.analysis, code.newline), form)
    return fixes[0].edits if fixes else Refusal("it has no replacement", form.span)


_STEPS: Mapping[str, tuple[Step, ...]] = {
    # Spellings first: they turn `mma.loadS` and its like into forms that the others know. Orders last: they
    # look at bootstraps, which are gone by then.
    "current": (
        Step("the spelling", _spellings, _respell),
        Step("the copy's event operand", async_event.sites, async_event.edits),
        Step("the phase", wait_phase.sites, wait_phase.edits),
        Step("the register hint", registers.sites, registers.edits),
        Step("the multiply's older form", lambda code: [None] * direct_operands.applies(code), _direct),
        Step("the bootstrap", bootstrap.sites, bootstrap.edits, older=False),
        Step("the slot by hand", event_order.sites, event_order.edits, older=False),
    ),
    # Orders first: bootstraps and joined copies then name slots as the course does.
    "course": (
        Step("'.at(order)'", event_order.ordered_sites, event_order.physical, older=False),
        Step("the copy's event operand", async_event.sites, async_event.synchronous, older=False),
        Step("the joined copy", joined_copies.sites, joined_copies.edits, older=False),
        Step("the operand in shared memory", lambda code: [None] * loaded_operands.applies(code), _loaded, older=False),
        Step("'= ready'", bootstrap.ready_sites, bootstrap.started, older=False),
    ),
}


def migrate(report: FileReport, to: str = "current", defines: Mapping[str, str | None] = _NO_DEFINES) -> Migration:
    """The text of a checked file in the dialect `to`, one of DIRECTIONS. `defines` as the file was checked with."""
    text = report.source.text
    contexts = [one.analysis.model.context for one in report.functions if one.analysis is not None]
    if not contexts:
        return Migration(text, 0, (), len(report.functions))
    context = replace(contexts[0], dialect="current")
    move = _Move(_STEPS[to])
    kept: list[Kept] = []
    skipped = 0
    for index in range(len(report.functions)):
        code = read(text, index, context, defines)
        if code is None:
            skipped += 1
            continue
        code = move.function(code)
        text = code.file
        kept += move.kept(code)
    return Migration(text, move.moved, tuple(dict.fromkeys(_in_the_first_text(kept, move.rounds))), skipped)


class _Move:
    """A migration under way: the edits of every round, so that places can be told in the text as it was."""

    def __init__(self, steps: tuple[Step, ...]) -> None:
        self.steps = steps
        self.rounds: list[list[Edit]] = []
        self.moved = 0

    def function(self, code: Code) -> Code:
        """The function after every step that can be made; a step is repeated, as it may make room for itself."""
        for step in self.steps:
            for _ in range(_MOST_ROUNDS):
                after = self._round(step, code)
                if after is None:
                    break
                code = after
        return code

    def _round(self, step: Step, code: Code) -> Code | None:
        """All sites at once where that keeps the model, else the first one that does."""
        outcomes = [step.edits(code, site) for site in step.sites(code)]
        made = [outcome for outcome in outcomes if not isinstance(outcome, Refusal)]
        for chosen in ([made] if len(made) > 1 else []) + [[one] for one in made]:
            after = self._try(code, list(dict.fromkeys(chain.from_iterable(chosen))))
            if after is not None:
                self.moved += len(chosen)
                return after
        return None

    def _try(self, code: Code, edits: list[Edit]) -> Code | None:
        after = attempt(code, edits)
        if isinstance(after, Refusal):
            return None
        self.rounds.append([edit.shift(code.base) for edit in edits])
        return after

    def kept(self, code: Code) -> Iterator[Kept]:
        """What is left of the steps' work in the last text of a function; places are absolute."""
        for step in self.steps:
            for site in step.sites(code):
                outcome = step.edits(code, site)
                if not isinstance(outcome, Refusal):
                    outcome = _trial(code, outcome)
                yield Kept(f"{step.what} stays: {outcome.reason}", outcome.span.shift(code.base), step.older)


def _trial(code: Code, edits: tuple[Edit, ...]) -> Refusal:
    after = attempt(code, edits)
    return after if isinstance(after, Refusal) else Refusal("it comes back", edits[0].span)


def _in_the_first_text(kept: list[Kept], rounds: list[list[Edit]]) -> Iterator[Kept]:
    for item in kept:
        span = item.span
        for edits in reversed(rounds):
            span = Span(_back(span.start, edits), _back(span.end, edits))
        yield replace(item, span=span)


def _back(offset: int, edits: list[Edit]) -> int:
    """The place in a text before edits of a place in the text after."""
    moved = 0
    for edit in in_order(edits):
        start = edit.span.start + moved
        if offset < start + len(edit.new_text):
            return edit.span.start if offset >= start else offset - moved
        moved += len(edit.new_text) - edit.span.length
    return offset - moved
