"""Mistakes put into generated code, as the back end might make them: the emulator finds each of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.emulator.emulator import Emulator
from tests.emulator.running import emulated, wrong
from tests.gpu.cases import COVERAGE, EXAMPLES

ORDERS = (0, 1, 2, 3, 6, 7, 10, 11)


@dataclass(frozen=True)
class Mutant:
    """In the code of `kernel`, what `pattern` matches is replaced."""

    what: str
    kernel: str
    pattern: str
    other: str = ""


MUTANTS = (
    Mutant(
        "the barrier in front of a TMA store",
        "pipeline_current",
        r"bar_sync\(1 \+ [^;]*;(?=\n +if \(threadIdx.x % 128 == 0\) \{\n +tma_store)",
    ),
    Mutant(
        "half of the transaction bytes",
        "pipeline_current",
        r"(mbarrier_arrive_expect\([^,]*, )16384",
        r"\g<1>8192",
    ),
    Mutant(
        "twice the transaction bytes",
        "pipeline_classic",
        r"(mbarrier_arrive_expect\([^,]*, )16384",
        r"\g<1>32768",
    ),
    Mutant(
        "the other parity",
        "pipeline_current",
        r"mbarrier_wait\(full \+ (k_2 % 3), k_2 / 3 & 1\)",
        r"mbarrier_wait(full + \1, k_2 / 3 + 1 & 1)",
    ),
    Mutant("a wait of the producer", "pipeline_classic", r"mbarrier_wait\(empty[^;]*;"),
    Mutant("a wait of the consumer", "pipeline_current", r"mbarrier_wait\(full[^;]*;"),
    Mutant("an arrival left out", "pipeline_classic", r"if \(k_2 > 0\) \{[^}]*\}"),
    Mutant("an arrival too many", "pipeline_1p2c", r"(mbarrier_arrive\(empty[^;]*;)", r"{ \1 \1 }"),
    Mutant(
        "a count one too small",
        "pipeline_1p2c",
        r"mbarrier_init\(empty \+ (\w+), 2\)",
        r"mbarrier_init(empty + \1, 1)",
    ),
    Mutant("the wait for multiplies", "gemm_bf16", r"wgmma_wait<0>\(\);"),
    Mutant("the group of multiplies", "gemm_bf16", r"wgmma_commit\(\);"),
    Mutant("multiplies one group late", "pipeline_course", r"wgmma_wait<0>\(\);", "wgmma_wait<1>();"),
    Mutant("a box beside the right one", "gemm_f16", r"(tma_load\(.*, )(\w+ \* 64)(, )", r"\1\2 + 64\3"),
    Mutant("a load into another slot", "pipeline_current", r"(tma_load\(lhs_s \+ )k % 3", r"\1(k + 1) % 3"),
    Mutant("the wrong step of an operand", "gemm_bf16", r"step \* 16\)", "0)"),
    Mutant("another swizzle of an operand", "gemm_bf16", r"operand<128>", "operand<64>"),
    Mutant("the wait for copies of threads", "swap_f16", r"cp_async_wait<\d>\(\);"),
    Mutant("a group too many in flight", "rotate_triple", r"cp_async_wait<2>", "cp_async_wait<3>"),
    Mutant("a group too many in flight behind the loop", "rotate_triple", r"cp_async_wait<1>", "cp_async_wait<2>"),
    Mutant("a group too many of two operands", "swap_f16", r"cp_async_wait<2>", "cp_async_wait<3>"),
    Mutant("a group too many behind a condition", "groups", r"cp_async_wait<1>", "cp_async_wait<2>"),
    Mutant("an empty group left out", "groups", r"(else \{\n +)cp_async_commit\(\);", r"\1"),
    Mutant("an edge that copies of threads do not test", "groups", r"if \(i0 < M - row \* 16\) \{", "{"),
    Mutant("the barriers around copies of threads", "swap_s32", r"__syncthreads\(\);"),
    Mutant("the barrier of a reduction", "reduce", r"__syncthreads\(\);"),
    Mutant("a store that nobody commits", "pipeline_current", r"tma_store_commit\(\);"),
    Mutant(
        "the wait until a store of the turn before is written",
        "overtaking",
        r"(\n    if \(threadIdx.x == 0\) )tma_store_wait<0>",
        r"\1tma_store_wait_read<0>",
    ),
    Mutant("the barrier of a cluster", "cluster", r"cluster_sync\(\);"),
)


def file_of(name: str) -> Path:
    return next(folder / f"{name}.co" for folder in (EXAMPLES, COVERAGE) if (folder / f"{name}.co").exists())


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.what)
def test_a_mistake_in_generated_code_is_found(mutant: Mutant) -> None:
    changed = []

    def change(code: str) -> str:
        """In the kernels; the headers in front of them stay."""
        at = code.index("using namespace croq;")
        text, count = re.subn(mutant.pattern, mutant.other, code[at:])
        changed.append(count)
        return code[:at] + text

    reports = emulated(file_of(mutant.kernel), emulator=Emulator(ORDERS, change))
    assert any(changed), "the kernel has no such text any more"
    assert wrong(reports)
