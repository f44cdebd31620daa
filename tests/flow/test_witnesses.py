"""Guards that relate several sizes are entered, and gone round, at sizes that the program allows."""

from __future__ import annotations

import pytest

from croqc.flow.report import Strength
from tests.flow.test_no_false_proof import flow_of

KERNEL = """#define S 3
__co__ void k(global s32 [R, C] src, global s32 [R, C] dst, global s32 [N, C] oth, int J) {{
  {asserts}
  parallel {{b, c}} by [cdiv(R, 4), cdiv(N, 4)] : block {{
    shared s32 [4, 32] ring[S];
    shared event full[S], empty[S] = ready;
    parallel w by 2 : group {{
      inthreads.async (w == 0) {{
        foreach {{k}} in [cdiv(C, 32)] {{
          wait empty[k % S];
          if ({guard}) {{ {inside} }} else {{ {outside} }}
        }}
      }}
      inthreads.async (w == 1) {{
        foreach {{k}} in [cdiv(C, 32)] {{
          wait full[k % S];
          dma.copy ring[k % S] => dst.subspan(4, 32).at(b, k);
          trigger empty[k % S];
        }}
      }}
    }}
  }}
}}
"""
COPY = "dma.copy src.subspan(4, 32).at(b, k) => ring[k % S];"
RIGHT = f"{COPY} trigger full[k % S];"
EARLY = f"trigger full[k % S]; {COPY}"
GUARDS = {
    "R > N && N > 40": lambda at: at["R"] > at["N"] > 40,
    "R == N && R == 44": lambda at: at["R"] == at["N"] == 44,
    "R / 4 == N / 8 + 3 && N > 16": lambda at: at["R"] // 4 == at["N"] // 8 + 3 and at["N"] > 16,
    "b == J && J == 5": lambda at: at["J"] == 5 and at["R"] > 20,
    "b == 11 && b * 4 + 4 > R": lambda at: 45 <= at["R"] <= 47,
    "b > 3 && b < 6 && b * 4 + 16 < R && b * 4 + 20 >= R": lambda at: 32 < at["R"] <= 40,
    "(R + N) % 64 == 7 && R > N": lambda at: (at["R"] + at["N"]) % 64 == 7 and at["R"] > at["N"],
    "!(R <= N || C < 100)": lambda at: at["R"] > at["N"] and at["C"] >= 100,
    "C > R && R > 70": lambda at: at["C"] > at["R"] > 70,
}


OTHERS = {
    "R * 2 == C && k == 3": lambda at: at["R"] * 2 == at["C"] > 96,
    "b == k && k == 5": lambda at: at["R"] > 20 and at["C"] > 160,
    "b % 7 == 6 && R % 9 == 8": lambda at: at["R"] % 9 == 8 and at["R"] > 24,
    "(b ^ 21) == 0": lambda at: at["R"] > 84,
    "(k ^ 33) == 0": lambda at: at["C"] > 1056,
    "(k + k) % 7 == 4 && R / 4 % 7 == 1": lambda at: at["R"] // 4 % 7 == 1 and at["C"] > 64,
}
"""Of an index and a size, of two rests, of bits: not of several sizes alone."""


def kernel(guard: str, inside: str = RIGHT, outside: str = RIGHT, asserts: str = "") -> str:
    return KERNEL.format(guard=guard, inside=inside, outside=outside, asserts=asserts)


@pytest.mark.parametrize("guard", GUARDS | OTHERS)
def test_a_fault_behind_a_guard_is_found_at_sizes_that_enter_it(guard: str) -> None:
    (finding,) = flow_of(kernel(guard, inside=EARLY)).findings
    assert finding.rule == "stage-race"
    assert (GUARDS | OTHERS)[guard](finding.sizes)


@pytest.mark.parametrize("guard", OTHERS)
def test_a_right_kernel_with_one_is_not_accused(guard: str) -> None:
    assert flow_of(kernel(guard)).findings == ()


@pytest.mark.parametrize("guard", ["R < 60 || R <= N", "R + N != 3 || C > 40", "b * 4 + 4 <= R || R < 20"])
def test_a_fault_in_front_of_a_guard_is_found_at_sizes_that_do_not_enter_it(guard: str) -> None:
    (finding,) = flow_of(kernel(guard, outside=EARLY)).findings
    assert finding.rule == "stage-race"


@pytest.mark.parametrize("guard", GUARDS)
def test_a_right_kernel_is_not_accused(guard: str) -> None:
    flow = flow_of(kernel(guard))
    assert (flow.findings, flow.strength) == ((), Strength.CHECKED)


def test_a_guard_that_needs_many_turns_is_tried_with_many() -> None:
    """A credit that is kept back at each turn from the fourth on shows in the seventh."""
    flow = flow_of(kernel("C > R && k > 2", inside=f"{COPY} if (k == 5) {{ }} else {{ trigger full[k % S]; }}"))
    assert [finding.rule for finding in flow.findings] == ["credit-deadlock"]


@pytest.mark.parametrize(
    ("guard", "asserts"),
    [
        ("R > N && N > 40", 'assert(R <= N, "rows");'),
        ("R == N && R == 44", 'assert(R % 8 == 0, "whole");'),
        ("b == J && J == 5", 'assert(J < 5, "few");'),
        ("b * 4 >= R", ""),
    ],
)
def test_what_the_program_rules_out_is_not_tried(guard: str, asserts: str) -> None:
    assert flow_of(kernel(guard, inside=EARLY, asserts=asserts)).findings == ()


def test_a_guard_that_no_size_enters_costs_a_bounded_search() -> None:
    plain = flow_of(kernel("R > 3")).spent
    assert flow_of(kernel("R * R + N * N == 3 * C * C && R % 7 == 5 && N % 7 == 6")).spent < plain + 20_000


@pytest.mark.parametrize(
    ("guard", "beside"),
    [
        ("(C + C) % 3 == 2", ["at C = 1, not at every size"]),
        ("J / 5 > 4", ["at C = 1, J = 25, not at every size"]),
        ("k >= 0", []),
    ],
)
def test_a_race_that_some_sizes_show_alone_names_them(guard: str, beside: list[str]) -> None:
    (finding,) = flow_of(kernel(guard, inside=EARLY)).findings
    assert [related.message for related in finding.related if "every size" in related.message] == beside
