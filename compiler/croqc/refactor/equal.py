"""Whether two functions have the same model: what every refactoring shows before it is offered. Must not rewrite.

Compared are the paths; each event's slots, arrival counts and credits at start; what leaves the kernel; and, as far
as credit flow was analysed, its findings, the waits and triggers of every path in the representative run, and which
of them happen before which.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from croqc.flow.analysis import analyze_flow
from croqc.flow.arrivals import TOO_MANY, crowded, slot_arrivals
from croqc.flow.paths import kernel_paths
from croqc.flow.report import KernelFlow, Step, Strength
from croqc.refactor.base import Code, Refusal, edited
from croqc.sema.model import Analysis, Kernel, Model, SymbolKind, View
from croqc.sema.types import Event, Storage
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.edits import Edit
from croqc.text.span import Span

Names = Mapping[str, str]
_QUIET = frozenset({"dynamic-shared-memory", "swizzle-inherited"})  # notes that are no objection to a rewrite
_OUTSIDE = (Storage.GLOBAL, Storage.HOST)
_NO_NAMES: Names = {}
_SOUND = (Strength.PROVED, Strength.CHECKED)  # which of them depends on the effort, too
Side = tuple[Model, Kernel, KernelFlow]


def same_model(before: Analysis, after: Analysis, renamed: Names = _NO_NAMES, deeper: bool = False) -> str | None:
    """What differs, in a few words; None for equal models. `renamed`: events by their names before.

    `deeper`: for rewrites that change how many tiles are in flight. Then paths, arrivals of the events that stay,
    what is written outside, and verdicts must agree; slots and the places that are fetched may differ.
    """
    old, new = before.model, after.model
    if len(old.kernels) != len(new.kernels):
        return "the number of kernels"
    if _written(old) != _written(new) or (not deeper and sorted(_outside(old)) != sorted(_outside(new))):
        return "what is read and written in global memory"
    flows = zip(_flows(old), _flows(new), strict=True)
    for ours, theirs, (was, now) in zip(old.kernels, new.kernels, flows, strict=True):
        sides = (old, ours, was), (new, theirs, now)
        problem = _same_verdict(was, now) if deeper else _same_kernel(*sides, renamed)
        if problem:
            return problem
    return None


def is_proved(analysis: Analysis) -> bool:
    """Whether credit flow finds nothing wrong in any kernel, and has looked at each."""
    return all(flow.strength in _SOUND for flow in _flows(analysis.model))


@lru_cache(maxsize=16)
def _flows(model: Model) -> tuple[KernelFlow, ...]:
    """A rewrite's model is the next one's model before."""
    return analyze_flow(model)


def _same_verdict(before: KernelFlow, after: KernelFlow) -> str | None:
    if before.strength is Strength.UNKNOWN:
        return None
    if after.strength is not before.strength and not (after.strength in _SOUND and before.strength in _SOUND):
        return f"the verdict ({before.strength.value} before, {after.strength.value} after)"
    if sorted(one.rule for one in before.findings) != sorted(one.rule for one in after.findings):
        return "the findings of credit flow"
    return None


def attempt(code: Code, edits: Iterable[Edit], renamed: Names = _NO_NAMES, deeper: bool = False) -> Code | Refusal:
    """The function after edits; refused if it could not be read any more, had other findings or another model."""
    edits = list(edits)
    place = _without_blanks(code, edits[0].span) if edits else code.model.function.name.span
    if any(crowded(code.model, kernel) for kernel in code.model.kernels):
        return Refusal(TOO_MANY, place)
    if (made := _inside_a_macro(code, edits)) is not None:
        return Refusal("a macro makes what would be rewritten", made)
    after = edited(code, edits)
    if after is None:
        return Refusal("the result would not parse", place)
    lost = _comments(code) - _comments(after)
    if lost:
        return Refusal("a comment in what is rewritten would be lost", place)
    known = [finding.rule for finding in code.analysis.findings]
    new = [finding for finding in after.analysis.findings if finding.rule not in known and finding.rule not in _QUIET]
    if new:
        return Refusal(f"the result would have a finding of '{new[0].rule}'", place)
    problem = same_model(code.analysis, after.analysis, renamed, deeper)
    return Refusal(f"{problem} would not stay the same", place) if problem else after


def _without_blanks(code: Code, span: Span) -> Span:
    """What is to be shown of a stretch that takes whole lines."""
    text = code.slice(span)
    return Span(span.start + len(text) - len(text.lstrip()), span.start + len(text.rstrip())) if text.strip() else span


def _inside_a_macro(code: Code, edits: Iterable[Edit]) -> Span | None:
    """The use of a macro that an edit would change in part: what the rest of it makes stands around the new text."""
    for edit in edits:
        for use in code.macros:
            apart = edit.span.end <= use.start or use.end <= edit.span.start
            if not apart and not (edit.span.start <= use.start and use.end <= edit.span.end):
                return use
    return None


def _comments(code: Code) -> Counter[str]:
    """The comments of a function; how their lines are indented does not count."""
    return Counter(" ".join(code.slice(one).split()) for one in code.comments)


def _same_kernel(before: Side, after: Side, renamed: Names) -> str | None:
    if _paths(before) != _paths(after):
        return "the paths"
    events, others = _events(before, renamed), _events(after, _NO_NAMES)
    if events.keys() != others.keys():
        return "the events"
    for name, facts in events.items():
        if facts != others[name]:
            return f"the slots, arrivals or first credits of '{name}'"
    return _same_flow(before[2], after[2], renamed)


def _paths(side: Side) -> list[tuple[str, tuple[int, ...]]]:
    model, kernel, _ = side
    return sorted((path.name, tuple(path.numbers)) for path in kernel_paths(model, kernel))


def _events(side: Side, renamed: Names) -> dict[str, list[tuple[int, bool]]]:
    """Of every slot: how many arrivals complete it, and whether generation 0 is given at start."""
    model, kernel, _ = side
    found: defaultdict[str, list[tuple[int, bool]]] = defaultdict(list)
    for (event, _slot), facts in slot_arrivals(model, kernel_paths(model, kernel)).items():
        assert isinstance(event.type, Event)
        given = event.type.ready or (bool(facts.bootstrap) and len(facts.bootstrap) * facts.blocks >= facts.count)
        found[renamed.get(event.name, event.name)].append((facts.count, given))
    return dict(found)


def _written(model: Model) -> set[str]:
    """The parameters and global buffers that copies write."""
    copies = model.copies.values()
    return {info.dest.base.name for info in copies if info.dest_storage in _OUTSIDE}


def _outside(model: Model) -> Iterator[str]:
    """Every access that other kernels or the host see: the place and the shape of what goes there."""
    for info in model.copies.values():
        box = [str(extent) for extent in info.box]
        if info.dest_storage in _OUTSIDE:
            yield f"copy {_view(model, info.dest)} {box}"
        elif info.source_storage in _OUTSIDE:
            yield f"fetch {_view(model, info.source)} {box}"
    for node in walk(model.function.body):
        view = model.views.get(node.dest) if isinstance(node, ast.MmaStore) else None
        if view is not None and view.base.kind is SymbolKind.PARAM:
            yield f"store {_view(model, view)}"


def _view(model: Model, view: View) -> str:
    parts = [view.base.name]
    for op in view.ops:
        at = [_value(model, one) for one in (*op.at, *(op.args if op.kind.value == "chunkat" else ()))]
        parts.append(f"{op.kind.value}({', '.join(at)})[{', '.join(map(str, op.shape))}]")
    return ".".join(parts)


def _value(model: Model, node: ast.Expr) -> str:
    """A coordinate by its value; loop indices are alike by their names."""
    value = model.values.get(node)
    return str(value) if value is not None else str(type(node).__name__)


# --- credit flow ---------------------------------------------------------------------------------


def _same_flow(before: KernelFlow, after: KernelFlow, renamed: Names) -> str | None:
    problem = _same_verdict(before, after)
    if problem or before.strength is Strength.UNKNOWN:
        return problem
    if before.sizes != after.sizes:
        return "the run that shows the fault" if before.findings else None
    events, others = _sequences(before, renamed), _sequences(after, _NO_NAMES)
    if events != others:
        return "the waits and triggers of a path"
    return None if _order(before, renamed) == _order(after, _NO_NAMES) else "what happens before what"


Mark = tuple[str, str, str, int | None, int | None]


def _marks(flow: KernelFlow, renamed: Names) -> Iterator[tuple[Step, Mark]]:
    """The waits and triggers after the start: path, operation, event, slot, generation."""
    for step in flow.steps:
        if step.op in ("wait", "trigger"):
            yield step, (step.path, step.op, renamed.get(step.event, step.event), step.slot, step.generation)


def _sequences(flow: KernelFlow, renamed: Names) -> dict[str, list[Mark]]:
    found: defaultdict[str, list[Mark]] = defaultdict(list)
    for _, mark in _marks(flow, renamed):
        found[mark[0]].append(mark)
    return dict(found)


def _order(flow: KernelFlow, renamed: Names) -> set[tuple[Mark, Mark]]:
    marks = {step.t: mark for step, mark in _marks(flow, renamed)}
    return {(marks[first], marks[second]) for first, second in flow.edges if first in marks and second in marks}
