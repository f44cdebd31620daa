"""The verdict on one kernel: instances, repetition, findings, facts (credit-flow, sections 4 and 5).

Must not know the language: it works on the step program.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial

from croqc.flow.alike import Acts, Alike
from croqc.flow.arrivals import TOO_MANY, crowded, survey
from croqc.flow.beyond import keep_uncounted, lower_for_all
from croqc.flow.clusters import differs_by_rank, spans_cluster
from croqc.flow.coverage import coverage_of
from croqc.flow.explain import Told
from croqc.flow.exprs import Env, UndecidedError, closure
from croqc.flow.facts import buffer_facts, event_facts
from croqc.flow.guarded import is_loose, makes_a_difference
from croqc.flow.instances import Plan, longest, plan
from croqc.flow.limit import NEVER_ENDS, ON_DATA, TOO_DEEP
from croqc.flow.lower import lower
from croqc.flow.lower_statements import STATEMENTS
from croqc.flow.machine import Machine
from croqc.flow.negative import floors
from croqc.flow.ops_control import Branch
from croqc.flow.paths import Path
from croqc.flow.program import Program
from croqc.flow.reach import FAILS, Outcome, Turns, is_plain, reach_of
from croqc.flow.report import FlowFinding, KernelFlow, Step, Strength
from croqc.flow.run import ExhaustedError, Setting
from croqc.flow.shown import better, for_some, is_unwaited, stands_idle
from croqc.flow.signature import Kind
from croqc.flow.together import parted
from croqc.flow.trials import Effort, Outlook, attempt, sparing
from croqc.flow.twins import without_twins
from croqc.flow.verdicts.case import Case
from croqc.flow.verdicts.gaps import doubt
from croqc.flow.verdicts.judge import judge, judge_end
from croqc.flow.verdicts.sites import Sites
from croqc.flow.verdicts.statics import judge_statics
from croqc.sema.masks import place_indices
from croqc.sema.model import Kernel, Model
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.span import Span

_APART = "what the blocks of a cluster do for each other depends on their rank here"
_CHOICE = 10_000  # steps that choosing instances may take beside the budget: as many as a usual kernel needs
_EXAMPLE = 20_000  # steps of the run to explain with


_TURNS = "how often this runs depends on data"


def verify(model: Model, kernel: Kernel, paths: tuple[Path, ...], budget: int) -> KernelFlow:
    """The verdict on a kernel. Raises only what a program that is beyond limits makes Python raise."""
    broken = [*nodes_of_kind(kernel.node, ast.ErrorStmt), *nodes_of_kind(kernel.node, ast.Missing)]
    if broken:
        first = min((node.span for node in broken), key=lambda span: span.start)
        return KernelFlow(kernel, Strength.UNKNOWN, "", "it cannot be read", first, paths)
    if model.cut:
        return KernelFlow(kernel, Strength.UNKNOWN, "", TOO_DEEP, model.cut[0], paths)
    crowd = crowded(model, kernel)
    if crowd is not None:
        return KernelFlow(kernel, Strength.UNKNOWN, "", TOO_MANY, crowd, paths)
    arrivals, starts = survey(model, kernel, paths)
    placements = place_indices(model, kernel.node)
    effort = Effort(budget)
    for loosely in (True, False):
        lowered = lower_for_all(partial(lower, model, kernel, paths, arrivals, STATEMENTS, loosely))
        program = lowered.program
        apart = differs_by_rank(program) if spans_cluster(program, kernel) else None
        if apart is not None:
            return KernelFlow(kernel, Strength.UNKNOWN, "", _APART, apart, paths)
        setting = Setting(program, paths, placements, arrivals, starts)
        found = plan(program, max(budget // 4, _CHOICE))
        effort.spend(max(found.steps - _CHOICE, 0))
        outcome = _instances(setting, without_twins(setting), Sites(setting), found, effort)
        if not outcome.guarded:
            break
    if outcome.undecided is not None and outcome.undecided[1] == _TURNS:
        outcome.undecided = outcome.undecided[0], _turns_text(model, program, outcome.undecided[0])
    outcome.counted = lowered.counted
    outcome.below = _holds_below(kernel, setting, found, outcome, effort, budget)
    if lowered.wide is not None and not outcome.findings and outcome.undecided is None:
        far = Setting(lowered.wide, paths, placements, arrivals, starts)
        beyond = plan(lowered.wide, max(effort.left // 4, 0))
        keep_uncounted(beyond)
        tried = _instances(far, without_twins(far), Sites(far), beyond, effort)
        if tried.findings:
            setting, found, outcome = far, beyond, tried
    if not outcome.findings and outcome.undecided is None:
        outcome.undecided = parted(model, kernel, paths)
    statics = list(judge_statics(model, setting))
    return replace(_report(kernel, setting, found, statics, outcome, budget), spent=effort.used)


def _instances(setting: Setting, light: Setting | None, sites: Sites, found: Plan, effort: Effort) -> Outcome:
    outcome = Outcome() if found.instances else _nothing_to_try(setting, found)
    last = found.last if found.loops else frozenset()
    loose = is_loose(setting.program)
    alike = Alike(setting.program)
    known: set[Acts] = set()
    outlook = Outlook(effort)
    for number, sizes in enumerate(found.instances):
        watches = number in last
        if not watches and not outcome.warnings and alike.of(sizes) in known:
            outcome.done.append(sizes)
            continue
        if outlook.is_hopeless(number, alike.unlike(found.instances[number:], known)):
            outcome.exhausted, outcome.early = sizes, True
            break
        machine, repetition = sparing(setting, light, found, sizes, effort, watches)
        if machine is None:
            outcome.exhausted = sizes
            break
        if _says_nothing(setting, loose, machine, outcome):
            break
        case = Case(setting, sites, found, sizes, machine, max(effort.left, 0) + 1000)
        findings = judge(case)
        effort.spend(case.spent)
        if findings and is_unwaited(findings[0]) and stands_idle(setting, found, sizes):
            outcome.idle = True  # no such size is meant, if more turns do not show it, too
            continue
        if findings:
            shown = better(setting, sites, found, number, findings, effort)
            outcome.findings = for_some(setting, sites, found, number, shown, outcome.done, effort)
            break
        if machine.broken_off:
            outcome.exhausted = sizes
            break
        outcome.undecided = outcome.undecided or _untold(machine)
        if outcome.undecided is not None:
            break
        _note_end(case, sizes, outcome)
        known |= alike.after(machine)
        if repetition is not None and outcome.repeats and not repetition.complete:
            outcome.repeats, failing = _repeats_later(light or setting, found, found.kinds[number], effort)
            outcome.findings = _told_of(setting, sites, found, failing, effort)
        if outcome.findings:
            break
    return outcome


def _untold(machine: Machine) -> tuple[Span, str] | None:
    """What of a buffer a run touches so that nothing can be said of it."""
    if machine.accesses.unclear is not None:
        return machine.accesses.unclear
    unsaid = coverage_of(machine).unsaid()
    if unsaid is None:
        return None
    what = unsaid.what
    if unsaid.late:
        return what.op.span, "some of what is read here is written only later"
    if what.op.guards and what.write:
        return what.op.span, "whether this condition leaves anything unwritten that is read cannot be told"
    done = "written" if what.write else "read"
    return what.op.span, f"which part of a buffer is {done} here cannot be told"


def _told_of(
    setting: Setting, sites: Sites, found: Plan, sizes: Mapping[int, int] | None, effort: Effort
) -> list[FlowFinding]:
    """The findings of an instance beyond those that are tried, if there is one."""
    if sizes is None:
        return []
    machine, _ = attempt(setting, found, sizes, effort, watches=False)
    if machine is None or machine.undecided is not None or machine.broken_off:
        return []
    case = Case(setting, sites, found, sizes, machine, max(effort.left, 0) + 1000)
    findings = judge(case)
    effort.spend(case.spent)
    return findings


def _holds_below(kernel: Kernel, setting: Setting, found: Plan, outcome: Outcome, effort: Effort, budget: int) -> bool:
    """Whether what holds for parameters from 0 on is found to hold below as well. What goes wrong there is no finding:
    nobody may mean it."""
    least = {} if outcome.findings else floors(setting.program)
    if not least or reach_of(kernel, setting, found, replace(outcome, below=True), budget).strength != Strength.PROVED:
        return False
    own = {size.var: size.least for size in setting.program.sizes}
    for size in setting.program.sizes:
        size.least = least.get(size.var, size.least)
    lower_found = plan(setting.program, max(effort.left // 4, 0))
    effort.spend(lower_found.steps)
    tried = _instances(setting, without_twins(setting), Sites(setting), lower_found, effort)
    holds = not tried.findings and not tried.guarded
    holds = (
        holds and reach_of(kernel, setting, lower_found, replace(tried, below=True), budget).strength is Strength.PROVED
    )
    for size in setting.program.sizes:
        size.least = own[size.var]
    return holds


def _says_nothing(setting: Setting, loose: bool, machine: Machine, outcome: Outcome) -> bool:
    """Whether a run could not be followed, or may have been another one without the guarded reads."""
    if loose and makes_a_difference(machine):
        outcome.guarded = True
        return True
    if machine.undecided is not None:
        matters = not is_plain(setting) or bool(setting.program.stages) or machine.undecided[1] == NEVER_ENDS
        outcome.undecided = machine.undecided if matters else None
        return True
    return False


def _note_end(case: Case, sizes: Mapping[int, int], outcome: Outcome) -> None:
    """What a run without a fault leaves behind."""
    if not outcome.warnings or outcome.warnings[0].args.get("fewer") == 0:
        warning = judge_end(case)
        outcome.warnings = outcome.warnings if warning is None else [warning]
    outcome.doubt = outcome.doubt or doubt(case)
    outcome.done.append(sizes)


def _nothing_to_try(setting: Setting, found: Plan) -> Outcome:
    outcome = Outcome()
    if not found.complete:
        outcome.undecided = (setting.program.ops[0].span, "to choose sizes for it takes more than the budget")
    elif not is_plain(setting):
        outcome.undecided = _undecided(setting.program)
    return outcome


def _turns_text(model: Model, program: Program, place: Span) -> str:
    """Why the turns of the loop at a place are not known: they hang on data, or on a function of known numbers."""
    bounds = [expr for loop in program.loops if loop.span == place for expr in (loop.low, loop.high, loop.step)]
    unknown = {each.span for expr in bounds for each in expr.walk() if each.op == "?"}
    calls = (node for node in nodes_of_kind(model.function, ast.Builtin) if node.span in unknown)
    name = next((node.name for node in calls if node.args and all(arg in model.values for arg in node.args)), None)
    return _TURNS if name is None else f"how often this runs hangs on '{name}', which is not followed"


def _undecided(program: Program) -> tuple[Span, str]:
    """The place for which there is nothing to try, as data decides there: how often a loop runs, else in how many of
    its turns a condition holds."""
    env: Env = [0] * program.variables
    for loop in program.loops:
        try:
            closure(loop.low)(env), closure(loop.high)(env), closure(loop.step)(env)
        except UndecidedError:
            return loop.span, _TURNS
    branches = (op.span for op in program.ops if isinstance(op, Branch) and not op.expr.known)
    return next(branches, program.ops[0].span), ON_DATA


def _repeats_later(setting: Setting, found: Plan, kind: Kind, effort: Effort) -> tuple[bool, Mapping[int, int] | None]:
    """Whether more turns, all else alike, show a repetition that the tried ones do not; or the sizes of a run that goes
    wrong there: credits that are lost one by one end only then."""
    around = {outer for loop in setting.program.loops for outer in loop.outer}
    for far in (False, True):
        if not far and not around & found.turns.keys():
            continue
        before = found.steps
        sizes = longest(setting.program, found, kind, far, max(effort.left, 0) // 2)
        effort.spend(found.steps - before)
        machine, repetition = (None, None) if sizes is None else attempt(setting, found, sizes, effort, watches=True)
        if machine is None or repetition is None or machine.undecided is not None:
            return False, None
        if machine.faults or machine.stuck():
            return False, sizes
        if repetition.complete:
            return True, None
    return False, None


# --- the report ------------------------------------------------------------------------------------


def _report(
    kernel: Kernel,
    setting: Setting,
    found: Plan,
    statics: list[FlowFinding],
    outcome: Outcome,
    budget: int,
) -> KernelFlow:
    synced = any(one.rule == "block-sync-in-role" for one in statics)
    shown = [one for one in outcome.findings if not (synced and one.rule == "credit-deadlock")]
    failed = bool(outcome.findings) or synced
    if failed:
        statics = [one for one in statics if one.rule != "unused-event"]
    findings = (*shown, *statics, *(() if failed else outcome.warnings))
    reach = FAILS if failed else reach_of(kernel, setting, found, outcome, budget)
    steps, edges, sizes = _example(setting, found, outcome)
    return KernelFlow(
        kernel,
        reach.strength,
        reach.tried,
        reach.reason,
        reach.place,
        setting.paths,
        event_facts(setting),
        buffer_facts(setting.program),
        findings,
        steps,
        edges,
        sizes,
        tuple(setting.program.notes),
    )


def _example(
    setting: Setting, found: Plan, outcome: Outcome
) -> tuple[tuple[Step, ...], tuple[tuple[int, int], ...], Mapping[str, int]]:
    """A small run to explain with: about 2N + 1 turns of the longest loop, and some of every loop if there is such a
    run."""
    if not outcome.done:
        return (), (), {}
    wanted = min(2 * found.period + 1, 16)
    counters = [Turns(setting, loop) for loop in found.loops]

    def distance(sizes: Mapping[int, int]) -> tuple[int, int]:
        turns = [counter.of(sizes) for counter in counters]
        return turns.count(0), abs(max((count or 0 for count in turns), default=0) - wanted)

    chosen = min(outcome.done, key=distance)
    machine = Machine(setting, chosen, _EXAMPLE, record=True)
    with suppress(ExhaustedError):
        machine.run()
    told = Told(machine)
    names = {size.name: chosen[size.var] for size in found.sizes if size.var in chosen and size.bound is None}
    return tuple(told.steps), tuple(told.edges), names
