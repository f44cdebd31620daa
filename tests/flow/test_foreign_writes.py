"""What C++ or PTX may write into a variable is run-time data from there on: nothing is proved or accused with it."""

from __future__ import annotations

import pytest

from croqc.flow.islands import functions_by_value
from croqc.flow.report import Strength
from tests.flow.test_counters import PIPE
from tests.flow.test_no_false_proof import flow_of

LOAD = (
    "foreach k in [C] { wait empty[k % S]; dma.copy src.subspan(4, 32).at(b, k) => ring[k % S]; trigger full[k % S]; }"
)
USE = "wait full[k % S]; dma.copy ring[k % S] => dst.subspan(4, 32).at(b, k);"
FUNCTIONS = """__device__ void set(int& a) { a = 1; }
__device__ void point(int* a) { *a = 1; }
__device__ void look(int a, const int& c) { }
__device__ int both(int a) { return a; }
__device__ int both(float a, int &b) { return b; }
"""


def flow(step: str, test: str = "q == 0") -> tuple[Strength, list[str]]:
    use = f"foreach k in [C] {{ {USE} mutable int q = 0; {step} if ({test}) {{ trigger empty[k % S]; }} }}"
    found = flow_of(FUNCTIONS + PIPE.format(load=LOAD, use=use))
    return found.strength, [finding.rule for finding in found.findings]


@pytest.mark.parametrize(
    "step",
    [
        "call set(q);",
        "call point(&q);",
        "call point((&q));",
        "call both(1.0f, q);",
        "call somewhere::unknown(q);",
        "int r = call both(q);",
        "if (call both(q)) { int r = 1; }",
        '__cpp__("q = 1;");',
        'asm volatile("mov.u32 %0, 1;" : "=r"(q));',
    ],
)
@pytest.mark.parametrize("test", ["q == 0", "q == 1"])
def test_a_variable_that_may_be_written_is_data(step: str, test: str) -> None:
    assert flow(step, test) == (Strength.UNKNOWN, [])


@pytest.mark.parametrize(
    "step",
    [
        "call look(q, q);",
        "call point(&k);",  # another variable
        '__cpp__("int other = 1;");',
        'int r = 0; asm volatile("mov.u32 %0, %1;" : "=r"(r) : "r"(q));',
        "call set(q); q = 0;",  # known again
    ],
)
def test_a_variable_that_is_read_or_assigned_since_is_known(step: str) -> None:
    assert flow(step) == (Strength.PROVED, [])


@pytest.mark.parametrize("write", ["call set(k);", '__cpp__("k = 4;");', 'asm("" : "+r"(k));'])
@pytest.mark.parametrize("place", ["in front", "inside"])
def test_a_loop_whose_variable_may_be_written_is_not_taken_to_count(write: str, place: str) -> None:
    def loop(step: str, written: str = "") -> str:
        before, inside = (written, "") if place == "in front" else ("", written)
        return f"mutable int k = 0; {before} while (k < C) {{ {step} k += 1; {inside} }}"

    load = LOAD.partition("{")[2].removesuffix("}")
    use = loop(f"{USE} trigger empty[k % S];")
    assert flow_of(FUNCTIONS + PIPE.format(load=loop(load), use=use)).strength is Strength.PROVED
    assert flow_of(FUNCTIONS + PIPE.format(load=loop(load, write), use=use)).strength is Strength.UNKNOWN


def test_functions_by_value_take_no_variable_by_reference() -> None:
    assert functions_by_value(FUNCTIONS) == {"point", "look"}
    assert functions_by_value("void a(int const &x, float (*f)(int)) {} void b(T&& x) {}") == {"a"}
