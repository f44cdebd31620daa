"""Which of the runs that go wrong shows a fault best, and whether it shows at some sizes only. Must not find faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from croqc.flow.exprs import Env, UndecidedError, closure
from croqc.flow.guarded import is_loose, makes_a_difference
from croqc.flow.instances import Plan
from croqc.flow.reach import Turns
from croqc.flow.report import FlowFinding
from croqc.flow.run import Setting
from croqc.flow.trials import Effort, attempt
from croqc.flow.verdicts.case import Case
from croqc.flow.verdicts.judge import judge
from croqc.flow.verdicts.sites import Sites
from croqc.text.diagnostics import Related

_BETTER = 24  # instances looked through for one that shows a fault better


def better(
    setting: Setting, sites: Sites, found: Plan, number: int, findings: list[FlowFinding], effort: Effort
) -> list[FlowFinding]:
    """The same fault in an instance in which every role has something to do, if one is near."""
    told = findings[0]
    unwaited = is_unwaited(told)
    idle = told.rule == "trip-count-mismatch" and not told.args["fewer"]
    if not (told.rule == "generation-mixup" or idle or unwaited or "part" in told.args):
        return findings
    for sizes in found.instances[number + 1 : number + 1 + _BETTER]:
        machine, _ = attempt(setting, found, sizes, effort, watches=False)
        if machine is None or machine.undecided is not None:
            break
        if is_loose(setting.program) and makes_a_difference(machine):
            break
        case = Case(setting, sites, found, sizes, machine, max(effort.left, 0) + 1000)
        others = judge(case)
        if others and _shows_more(told, others[0]):
            return others
    return findings


def for_some(
    setting: Setting,
    sites: Sites,
    found: Plan,
    number: int,
    findings: list[FlowFinding],
    done: Sequence[Mapping[int, int]],
    effort: Effort,
) -> list[FlowFinding]:
    """The same, marked where a larger instance runs through: then the sizes are a part of what is wrong."""
    told, failed = findings[0], found.instances[number]
    if told.rule == "trip-count-mismatch":  # it names them anyway
        return findings
    turns = [Turns(setting, loop) for loop in found.loops]
    counts = [each.of(failed) or 0 for each in turns]
    if any(all((each.of(sizes) or 0) >= count for each, count in zip(turns, counts, strict=True)) for sizes in done):
        return [_of_some(told), *findings[1:]]
    larger = [
        *_neighbours(setting, found, failed),
        *found.instances[number + 1 : number + 1 + min(found.period, _BETTER)],
    ]
    for sizes in larger:
        machine, _ = attempt(setting, found, sizes, effort, watches=False)
        if machine is None:
            break
        clean = not machine.faults and not machine.stuck() and machine.undecided is None
        if clean and not judge(Case(setting, sites, found, sizes, machine, max(effort.left, 0))):
            return [_of_some(told), *findings[1:]]
    return findings


def _of_some(told: FlowFinding) -> FlowFinding:
    """The finding with its sizes: in its words, where those have room, else beside it."""
    told = replace(told, args={**told.args, "some": True})
    named = ", ".join(f"{name} = {value}" for name, value in told.sizes.items())
    if not named or told.rule == "credit-deadlock" or "shift" in told.args:
        return told
    return replace(told, related=(*told.related, Related(f"at {named}, not at every size", told.span)))


def _neighbours(setting: Setting, found: Plan, sizes: Mapping[int, int]) -> Iterator[Mapping[int, int]]:
    """The same with one size larger by one, where the program admits that."""
    asserted = [closure(expr) for expr in setting.program.asserts if expr.variables() <= sizes.keys()]
    for size in found.sizes:
        if size.bound is None and size.var in sizes and sizes[size.var] < size.ends[1]:
            made = {**sizes, size.var: sizes[size.var] + 1}
            env: Env = [0] * setting.program.variables
            for var, value in made.items():
                env[var] = value
            with suppress(UndecidedError):
                if all(holds(env) for holds in asserted):
                    yield made


def is_unwaited(told: FlowFinding) -> bool:
    return told.rule == "future-not-waited" and told.args["why"] in ("never", "overwritten")


def stands_idle(setting: Setting, found: Plan, sizes: Mapping[int, int]) -> bool:
    """Whether some loop over sizes makes no turn."""
    own = (loop for loop in found.loops if loop.low.variables() | loop.high.variables() <= sizes.keys())
    return any(Turns(setting, loop).of(sizes) == 0 for loop in own)


def _shows_more(told: FlowFinding, other: FlowFinding) -> bool:
    """Unequal turns of two loops that both run; for mixed generations, a barrier that runs ahead; for a transfer that
    nobody waits for, what that leads to; for a part that nothing writes, what goes wrong with more turns."""
    if "part" in told.args:
        return "part" not in other.args
    if told.rule == "generation-mixup":
        return other.rule == "credit-overrun" and other.args["event"] == told.args["event"]
    if told.rule == "future-not-waited":
        return other.rule in ("stage-race", "stale-buffer")
    return other.rule == told.rule and bool(other.args["fewer"])
