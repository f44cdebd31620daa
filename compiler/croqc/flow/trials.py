"""Runs of instances within an effort. Must not judge them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from croqc.flow.instances import Plan
from croqc.flow.leaps import run
from croqc.flow.machine import Machine
from croqc.flow.repetition import Repetition
from croqc.flow.run import ExhaustedError, Setting
from croqc.flow.twins import shows_nothing

_MUCH = 1_000_000  # about a second
_FAR = 4


@dataclass(slots=True)
class Effort:
    """Abstract steps that are left."""

    left: int
    used: int = 0

    def spend(self, steps: int) -> None:
        self.left -= steps
        self.used += steps


class Outlook:
    """Whether the effort suffices for what is still to be run, asked once when a part of it is spent."""

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self.before = effort.used
        self.asked = False

    def is_hopeless(self, done: int, wanted: Iterable[bool]) -> bool:
        """`done`: how many instances, smaller than the others, took what is spent; `wanted`: of the others whether each
        is to be run. The effort would be spent on a part of them, and prove no more than is known now."""
        spent = self.effort.used - self.before
        if self.asked or spent < _MUCH or not done:
            return False
        self.asked = True
        return spent // done * sum(wanted) > _FAR * self.effort.left


def attempt(
    setting: Setting, found: Plan, sizes: Mapping[int, int], effort: Effort, watches: bool
) -> tuple[Machine | None, Repetition | None]:
    """The run of an instance; None where the effort ends. `watches`: for joint states that come again."""
    machine = Machine(setting, sizes, max(effort.left, 0))
    repetition = Repetition(machine, found, found.loops) if watches else None
    try:
        run(machine)
    except ExhaustedError:
        return None, None
    finally:
        effort.spend(machine.steps)
        machine.watch = None
    return machine, repetition


def sparing(
    setting: Setting, light: Setting | None, found: Plan, sizes: Mapping[int, int], effort: Effort, watches: bool
) -> tuple[Machine | None, Repetition | None]:
    """A run without twins, if that says all."""
    if light is not None:
        machine, repetition = attempt(light, found, sizes, effort, watches)
        if machine is None or not shows_nothing(machine):
            return machine, repetition
    return attempt(setting, found, sizes, effort, watches)
