"""What `croq doctor` says of machines that lack this or that."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import get_args

import pytest

from croqc.engines.installed import install
from croqc.service import doctor
from croqc.service.doctor import Finding, Problem, arch_of, diagnose, problems
from croqc.service.machine import PROBE, Card, Machine, Part, examine
from croqc.text.record import replace

H200 = Card("NVIDIA H200", (9, 0), 143_771 << 20)
FULL = Machine("3.12.3", Part("13.0"), Part("14.0"), Part("13.1"), Part("13.0"), "/usr/local/cuda/bin/nvcc", (H200,))
NOTHING = Machine("3.12.3", Part(), Part(), Part(), Part(), "", ())


def states(machine: Machine) -> dict[str, str]:
    return {item.name: item.state for item in diagnose(machine).findings}


def test_a_machine_with_everything() -> None:
    result = diagnose(FULL)
    assert result.ready
    assert result.summary == "kernels run on the NVIDIA H200 here: croq run --engine gpu --arch sm_90a"
    assert {item.state for item in result.findings} == {"ok"}
    assert Finding("card", "ok", "NVIDIA H200, sm_90a, 140 GiB") in result.findings


def test_a_machine_with_nothing() -> None:
    result = diagnose(NOTHING)
    assert not result.ready
    assert "croq run --engine sim" in result.summary
    assert states(NOTHING) == {
        "Python": "ok", "driver": "missing", "CuPy": "missing", "cuda-bindings": "missing", "NVRTC": "missing",
        "nvcc": "optional",
    }  # fmt: skip
    assert all(item.hint for item in result.findings if item.state != "ok")
    assert [item.command for item in result.findings].count(install("gpu")) == 3
    assert all(item.command in ("", item.hint) for item in result.findings)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"driver": Part("12.4")}, doctor.OldDriver("12.4")),
        ({"cards": (), "cards_error": "cudaErrorNoDevice"}, doctor.NoCard("cudaErrorNoDevice")),
        ({"cards": (Card("GTX 1080", (6, 1), 1 << 33),)}, doctor.UnknownCard("GTX 1080", "sm_61")),
        ({"cupy": Part("", "ImportError: libcudart.so.13")}, doctor.Broken("CuPy", "ImportError: libcudart.so.13")),
        ({"nvrtc": Part("", "ModuleNotFoundError: No module")}, doctor.Missing("NVRTC")),
        ({"probe_error": "did not load"}, doctor.NoAnswer("did not load")),
        ({"driver": Part()}, doctor.NoDriver()),
    ],
)
def test_one_thing_missing(change: dict[str, object], problem: Problem) -> None:
    machine = replace(FULL, **change)
    assert problems(machine)[0] == problem
    assert not diagnose(machine).ready
    finding = doctor.words(problem)
    assert finding.state in ("missing", "broken") and finding.hint


def test_every_problem_has_words() -> None:
    for kind in get_args(Problem):
        finding = doctor.words(kind(*["x"] * len(fields(kind))))
        assert finding.detail and finding.hint


@pytest.mark.parametrize(
    ("capability", "arch"), [((9, 0), "sm_90a"), ((8, 0), "sm_80"), ((10, 0), "sm_100a"), ((7, 5), "sm_75")]
)
def test_the_target_of_a_card(capability: tuple[int, int], arch: str) -> None:
    assert arch_of(capability) == arch


BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("cupy", "cuda"):
            raise ModuleNotFoundError("No module named " + name)

sys.meta_path.insert(0, Blocked())
import ctypes

def no_library(name):
    raise OSError("no " + name)

ctypes.CDLL = no_library
"""


def test_the_probe_on_a_bare_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    machine = examine([sys.executable, "-c", BLOCKED + PROBE])
    assert (machine.cupy.version, machine.bindings.version, machine.nvcc, machine.cards) == ("", "", "", ())
    assert [type(each).__name__ for each in problems(machine)] == ["NoDriver", "Missing", "Missing", "Missing"]


STUBS = """
import sys, types

cupy = types.ModuleType("cupy")
cupy.__version__ = "14.0"
cupy.cuda = types.ModuleType("cupy.cuda")
cupy.cuda.runtime = runtime = types.ModuleType("cupy.cuda.runtime")
runtime.getDeviceCount = lambda: 1
runtime.getDeviceProperties = lambda n: {"name": b"Fake", "major": 9, "minor": 0, "totalGlobalMem": 1 << 30}
sys.modules.update({"cupy": cupy, "cupy.cuda": cupy.cuda, "cupy.cuda.runtime": runtime})
import ctypes

class Library:
    def cuDriverGetVersion(self, pointer):
        pointer._obj.value = 13020
        return 0

ctypes.CDLL = lambda name: Library()
"""


def test_the_probe_finds_a_card() -> None:
    machine = examine([sys.executable, "-c", STUBS + PROBE])
    assert (machine.cupy, machine.driver) == (Part("14.0"), Part("13.2"))
    assert machine.cards == (Card("Fake", (9, 0), 1 << 30),)


@pytest.mark.parametrize(
    "code", ["import os; os.abort()", "print('no json')", "print('[1]')", "import time; time.sleep(60)"]
)
def test_a_probe_that_fails_is_a_fact(code: str) -> None:
    machine = examine([sys.executable, "-c", code], seconds=0.5)
    assert not diagnose(machine).ready


@pytest.mark.parametrize(
    "said",
    [
        "3", "[]", "null", '{"cards": [{}]}', '{"cards": [3]}', '{"cards": 3}', '{"cards": null}',
        '{"cards": {"a": 1}}',
        '{"cards": [{"name": "x", "major": "nine", "minor": 0, "memory": 1}]}', "{",
    ],
)  # fmt: skip
def test_a_probe_that_says_what_is_no_answer(said: str) -> None:
    """Neither an exception nor a machine without a driver."""
    (problem,) = problems(examine([sys.executable, "-c", f"print({said!r})"]))
    assert problem == doctor.NoAnswer(f"the process that loads the libraries of CUDA said what is no answer: {said!r}")


def test_a_python_that_is_not_there() -> None:
    assert problems(examine(["/nowhere/python"]))[0] == doctor.NoAnswer(
        "the process that loads the libraries of CUDA cannot be started: No such file or directory"
    )


def test_a_probe_that_says_nothing() -> None:
    assert problems(examine([sys.executable, "-c", "import os; os.abort()"]))[0] == doctor.NoAnswer(
        "the process that loads the libraries of CUDA ended without a word"
    )
