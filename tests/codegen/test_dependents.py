"""Kernels that wait for the launches in front of them: nothing before touches global memory, in the text and in the
machine code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croqc.codegen.program import Program, program_of
from croqc.pipe.lower import lowered_kernels
from croqc.pipe.probes import probed
from croqc.service.check import FileReport, check_file, check_text
from croqc.service.lowering import sizes_of
from croqc.service.machine_code import sass_of
from tests.pipe.lowering import EXAMPLES, NAMES, TEXTS, example

WAIT = "  griddepcontrol_wait();"
# What a prologue may call. None of it reads or writes global memory; a descriptor is a parameter.
HARMLESS = {
    "if", "for", "__align__", "alignas", "reinterpret_cast", "__shfl_sync", "__syncthreads", "cluster_sync",
    "mbarrier_init", "mbarrier_arrive_many", "fence_mbarrier_init", "tma_prefetch", "tensor_memory_alloc",
    "tcgen05_fence_before", "tcgen05_fence_after",
}  # fmt: skip
# Accesses of global memory, and of memory that may be global, in machine code.
ACCESSES = {
    "LDG", "STG", "LD", "ST", "LDGSTS", "ATOM", "ATOMG", "RED", "REDG", "UTMALDG", "UTMASTG", "UTMAREDG", "UBLKCP",
    "UBLKRED",
}  # fmt: skip
HOSTILE = """
__device__ { __device__ int counter; }
__co__ void f(global s32 [N] x) {
  parallel b by N : block {
    local s32 [4] mine;
    __cpp__("counter = 1;");
    mine.at(0) = x.at(b);
    x.at(b) = mine.at(0);
  }
}
"""


def stem(path: Path) -> str:
    return path.stem


def made(report: FileReport, probes: bool = False, waits: bool = False, delays: bool = False) -> Program:
    function = report.functions[0]
    assert function.analysis is not None
    sizes, model = sizes_of(report, function), function.analysis.model
    kernels = lowered_kernels(model, report.target, sizes)
    if probes:
        kernels = tuple(probed(model, model.kernels[at], kernel) for at, kernel in enumerate(kernels))
    return program_of(model, kernels, sizes, "k", report=waits, delays=delays)


def prologues(program: Program) -> list[tuple[list[str], list[str]]]:
    """The parameters' names of each kernel, and its lines in front of the wait."""
    found = []
    for text in program.unit.text.split('extern "C" __global__ ')[1:]:
        head, _, body = text.partition(") {\n")
        before, wait, _ = body.partition(f"{WAIT}\n")
        assert wait, text
        assert body.count(WAIT) == 1
        params = head.partition("__launch_bounds__(")[2].partition(")\n")[2].partition("(")[2]
        found.append((re.findall(r"(\w+)(?:,|$)", params.replace("\n", " ")), before.splitlines()))
    return found


def touching(names: list[str], lines: list[str]) -> list[str]:
    """The lines that name a parameter other than a descriptor, or call what is not harmless."""
    other = [name for name in names if not name.endswith("_map")]
    found = []
    for line in (line.partition("//")[0] for line in lines):
        calls = set(re.findall(r"(\w+)(?:<[^<>()]*>)?\(", line)) - HARMLESS
        if calls or any(re.search(rf"(?<![.\w]){name}\b", line) for name in other):
            found.append(line)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_no_example_touches_global_memory_before(name: str) -> None:
    found = prologues(made(example(name)))
    assert found
    for names, lines in found:
        assert names
        assert touching(names, lines) == []


@pytest.mark.parametrize("arch", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("name", ["pipeline_course", "stream_add", "cluster"])
def test_neither_do_records_probes_and_delays(name: str, arch: str) -> None:
    for names, lines in prologues(made(example(name, arch), probes=True, waits=True, delays=True)):
        assert {"report", "probes", "delay_seed"} <= set(names)
        assert touching(names, lines) == []


def test_foreign_code_stands_behind() -> None:
    program = made(check_text(HOSTILE.replace("[N]", "[64]").replace("by N", "by 64")))
    ((names, lines),) = prologues(program)
    assert touching(names, lines) == []
    assert "counter = 1;" in program.unit.text.partition(WAIT)[2]


def test_the_test_sees_what_touches_memory() -> None:
    assert touching(["x", "a_map"], ["  const int b = blockIdx.x;", "  tma_prefetch(a_map);"]) == []
    assert touching(["x"], ["  x[0] = 1;", "  atomicAdd(y, 1);"]) == ["  x[0] = 1;", "  atomicAdd(y, 1);"]


@pytest.mark.parametrize("arch", ["sm_80", "sm_86", "sm_89"])
def test_other_targets_have_nothing_of_it(arch: str) -> None:
    program = made(example("add", arch))
    assert "griddep" not in program.unit.text
    assert [launch.kernel.dependent for launch in program.launches] == [False]


@pytest.mark.slow
@pytest.mark.parametrize("path", [*(EXAMPLES / f"{name}.co" for name in NAMES), TEXTS / "cluster.co"], ids=stem)
def test_the_compiler_moves_no_access_in_front(path: Path) -> None:
    """In machine code ACQBULK is the wait. Pointers to what a kernel only reads are `__restrict__`,
    and loads of it need not be coherent: the assembler could move them."""
    kernels = sass_of(made(check_file(path)).unit.text, "sm_90a").text.split("\n.text.")[1:]
    assert kernels
    for text in kernels:
        words = re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?([A-Z]\w*)", text)
        wait = words.index("ACQBULK")
        assert wait < min(words.index(word) for word in ACCESSES & set(words))
        assert words.count("ACQBULK") == 1
