"""`croq doctor`: what this machine has for kernels on a card, what is missing, what installs it. Must not print.

`examine` (in `machine`) gathers facts, `diagnose` judges them: pure, one problem a thing that keeps a run from working.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from croqc.engines.gpu.faults import DRIVER
from croqc.engines.installed import install
from croqc.service.machine import Machine, Part
from croqc.targets import TARGETS

OLDEST_DRIVER: Final = (13, 0)
_DRIVER: Final = f"install NVIDIA's driver, {DRIVER}: https://www.nvidia.com/drivers"


@dataclass(frozen=True, slots=True)
class NoDriver:
    """No libcuda: no card can be used; everything else works."""


@dataclass(frozen=True, slots=True)
class OldDriver:
    """A driver for an older CUDA than is needed; `version` is the newest that it takes."""

    version: str


@dataclass(frozen=True, slots=True)
class NoCard:
    """A driver that finds no card; `error` is what the library says, if it says why."""

    error: str


@dataclass(frozen=True, slots=True)
class UnknownCard:
    """A card of an architecture that no target's table describes."""

    name: str
    arch: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A package that is not installed."""

    name: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A package that is there and cannot be loaded."""

    name: str
    error: str


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The libraries could not be examined."""

    error: str


Problem = NoDriver | OldDriver | NoCard | UnknownCard | Missing | Broken | NoAnswer


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `state` is "ok", "missing", "broken" or "optional"; `hint` is the way out, `command` the
    same where a shell takes it."""

    name: str
    state: str
    detail: str
    hint: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class DoctorResult:
    """`ready`: kernels can run on the card here."""

    version: int
    ready: bool
    summary: str
    findings: tuple[Finding, ...]


_PACKAGES: Final = (("cupy", "CuPy"), ("bindings", "cuda-bindings"), ("nvrtc", "NVRTC"))


def problems(machine: Machine) -> tuple[Problem, ...]:
    """Everything that keeps kernels from running on a card here."""
    if machine.probe_error:
        return (NoAnswer(machine.probe_error),)
    found: list[Problem] = []
    for field, name in _PACKAGES:
        found += _package(name, getattr(machine, field))
    if not machine.driver.version:
        return (NoDriver(), *found)
    if _numbers(machine.driver.version) < OLDEST_DRIVER:
        found.insert(0, OldDriver(machine.driver.version))
    if machine.cupy.version and not machine.cards:
        found.insert(0, NoCard(machine.cards_error))
    if machine.cards:
        arch = arch_of(machine.cards[0].capability)
        if arch not in TARGETS:
            found.append(UnknownCard(machine.cards[0].name, arch))
    return tuple(found)


def _package(name: str, part: Part) -> list[Problem]:
    if part.version:
        return []
    if part.error and not part.error.startswith("ModuleNotFoundError"):
        return [Broken(name, part.error)]
    return [Missing(name)]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def arch_of(capability: tuple[int, int]) -> str:
    """The target of a card: sm_90a for 9.0, where the architecture has features of its own."""
    plain = f"sm_{capability[0]}{capability[1]}"
    return f"{plain}a" if f"{plain}a" in TARGETS else plain


def diagnose(machine: Machine, anywhere: bool = False) -> DoctorResult:
    """The report of a machine: first what is there, then what is wrong, in words. `anywhere` as of `install`."""
    wrong = problems(machine)
    findings = [*_present(machine), *(words(problem, anywhere) for problem in wrong), _nvcc(machine)]
    if not wrong:
        card = machine.cards[0]
        summary = f"kernels run on the {card.name} here: croq run --engine gpu --arch {arch_of(card.capability)}"
    else:
        summary = "kernels cannot run on a card here; the simulator works: croq run --engine sim"
    return DoctorResult(1, not wrong, summary, tuple(findings))


def _present(machine: Machine) -> list[Finding]:
    found = [Finding("Python", "ok", machine.python)]
    if machine.driver.version and _numbers(machine.driver.version) >= OLDEST_DRIVER:
        found.append(Finding("driver", "ok", f"takes CUDA up to {machine.driver.version}"))
    for field, name in _PACKAGES:
        part: Part = getattr(machine, field)
        if part.version:
            found.append(Finding(name, "ok", part.version))
    for card in machine.cards:
        found.append(Finding("card", "ok", f"{card.name}, {arch_of(card.capability)}, {card.memory / 2**30:.0f} GiB"))
    return found


def _nvcc(machine: Machine) -> Finding:
    if machine.nvcc:
        return Finding("nvcc", "ok", machine.nvcc)
    return Finding("nvcc", "optional", "not on the path; NVRTC compiles the kernels", "install the CUDA toolkit")


def _mended_by(command: str, name: str, state: str, detail: str) -> Finding:
    return Finding(name, state, detail, command, command)


def words(problem: Problem, anywhere: bool = False) -> Finding:
    """One problem in words, with the command that mends it. `anywhere` as of `install`."""
    command = install("gpu", anywhere)
    match problem:
        case NoDriver():
            return Finding("driver", "missing", "there is no NVIDIA driver here", _DRIVER)
        case OldDriver(version=version):
            wanted = ".".join(map(str, OLDEST_DRIVER))
            return Finding("driver", "broken", f"takes CUDA up to {version}; {wanted} is needed", _DRIVER)
        case NoCard(error=error):
            return Finding(
                "card", "missing", error or "the driver finds no card", "nvidia-smi shows what the driver sees"
            )
        case UnknownCard(name=name, arch=arch):
            known = ", ".join(TARGETS)
            return Finding("card", "broken", f"{name} is {arch}; known are {known}", "'--engine sim' needs no card")
        case Missing(name=name):
            return _mended_by(command, name, "missing", "is not installed")
        case Broken(name=name, error=error):
            return _mended_by(f"{command} --force-reinstall", name, "broken", error)
        case NoAnswer(error=error):
            return _mended_by(f"{command} --force-reinstall", "CUDA", "broken", error)
