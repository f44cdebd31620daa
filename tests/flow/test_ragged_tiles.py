"""Tiles at ragged edges: each element is loaded under a condition on sizes, and read under the same or after a zero.

Each right kernel is also run by the simulator, whose shared memory begins with NaN and the like; what it must compute
is worked out by NumPy.
"""

from __future__ import annotations

import re

import pytest

from croqc.flow.analysis import CHECK_BUDGET
from tests.flow.pipes import check
from tests.truth.program import Program, Sizes
from tests.truth.simulated import analysis_of, simulate_program

TILE = "if (row < M && col < N) s.at(y, x) = src.at(row, col);"
BACK = "if (row < N && col < M) dst.at(row, col) = s.at(x, y);"
BESIDE = "if (row < N && col < M) dst.at(row, col) = s.at(x, y) + 0 * s.at(y, x);"  # an element of another condition


def transpose(load: str, store: str = BACK, width: int = 16) -> str:
    return f"""__co__ void f(global s32 [M, N] src, global s32 [N, M] dst) {{
  parallel {{p, q}} by [cdiv(M, 16), cdiv(N, 16)] : block {{
    shared s32 [16, {width}] s;
    parallel {{y, x}} by [16, 16] : thread {{ row = p * 16 + y; col = q * 16 + x; {load} }}
    sync.shared;
    parallel {{y, x}} by [16, 16] : thread {{ row = q * 16 + y; col = p * 16 + x; {store} }}
  }}
}}"""


def matmul(load: str, tile: int, threads: str, place: str, outs: str, sums: str) -> str:
    return f"""__co__ void f(global f32 [M, K] lhs, global f32 [K, N] rhs, global f32 [M, N] dst) {{
  parallel {{p, q}} by [cdiv(M, {tile}), cdiv(N, {tile})] : block {{
    shared f32 [{tile}, {tile}] a, b;
    parallel {threads} : thread {{
      {place}
      foreach k in [cdiv(K, {tile})] {{ {load} sync.shared; {sums} sync.shared; }}
      {outs}
    }}
  }}
}}"""


SQUARE = matmul(
    "if (row < M && k * 8 + x < K) a.at(y, x) = lhs.at(row, k * 8 + x); else a.at(y, x) = 0.0f;"
    "if (k * 8 + y < K && col < N) b.at(y, x) = rhs.at(k * 8 + y, col); else b.at(y, x) = 0.0f;",
    8,
    "{y, x} by [8, 8]",
    "row = p * 8 + y; col = q * 8 + x; mutable f32 sum = 0.0f;",
    "if (row < M && col < N) dst.at(row, col) = sum;",
    "foreach j in [8] { sum += a.at(y, j) * b.at(j, x); }",
)
LINEAR = matmul(  # 128 threads fill 256 elements in two turns
    """foreach i in [2] {
        r = (i * 128 + t) / 16; c = (i * 128 + t) % 16;
        if (p * 16 + r < M && k * 16 + c < K) a.at(r, c) = lhs.at(p * 16 + r, k * 16 + c); else a.at(r, c) = 0.0f;
        if (k * 16 + r < K && q * 16 + c < N) b.at(r, c) = rhs.at(k * 16 + r, q * 16 + c); else b.at(r, c) = 0.0f;
      }""",
    16,
    "t by 128",
    "row = p * 16 + t / 16; col = q * 16 + t % 16; mutable f32 sum = 0.0f; mutable f32 more = 0.0f;",
    "if (row < M && col < N) dst.at(row, col) = sum; if (row + 8 < M && col < N) dst.at(row + 8, col) = more;",
    "foreach j in [16] { sum += a.at(t / 16, j) * b.at(j, t % 16); more += a.at(t / 16 + 8, j) * b.at(j, t % 16); }",
)


def stencil(load: str, size: int) -> str:
    """Sums of three neighbours: element i of the tile is `src.at(b * 64 + i - 1)`."""
    return f"""__co__ void f(global s32 [N] src, global s32 [N] dst) {{
  parallel b by cdiv(N, 64) : block {{
    shared s32 [{size}] s;
    parallel t by 64 : thread {{
      at = b * 64 + t; {load}
      sync.shared;
      if (at < N) dst.at(at) = s.at(t) + s.at(t + 1) + s.at(t + 2);
    }}
  }}
}}"""


MIDDLE = "if (at < N) s.at(t + 1) = src.at(at); else s.at(t + 1) = 0;"
LEFT = "if (t == 0) { if (at > 0 && at - 1 < N) s.at(0) = src.at(at - 1); else s.at(0) = 0; }"
RIGHT = "if (t == 63) { if (at + 1 < N) s.at(65) = src.at(at + 1); else s.at(65) = 0; }"
TURNS = """foreach i in [2] {
        from = b * 64 + i * 64 + t - 1;
        if (from >= 0 && from < N) s.at(i * 64 + t) = src.at(from); else s.at(i * 64 + t) = 0;
      }"""


def ring(load: str, store: str) -> str:
    return f"""__co__ void f(global s32 [M, N] src, global s32 [M, N] dst) {{
  parallel b by cdiv(M, 8) : block {{
    shared s32 [8, 16] s[2]; shared event full[2], empty[2] = ready;
    parallel p by 2 : group-4, t by 128 : thread {{
      r = t / 16; c = t % 16;
      inthreads.async (p == 0) {{
        foreach k in [cdiv(N, 16)] {{ wait empty[k % 2]; {load} trigger full[k % 2]; }}
      }}
      inthreads.async (p == 1) {{
        foreach k in [cdiv(N, 16)] {{ wait full[k % 2]; {store} trigger empty[k % 2]; }}
      }}
    }}
  }}
}}"""


PUT = "if (b * 8 + r < M && k * 16 + c < N) s[k % 2].at(r, c) = src.at(b * 8 + r, k * 16 + c);"
ZERO = "else s[k % 2].at(r, c) = 0;"
GET = "if (b * 8 + r < M && k * 16 + c < N) dst.at(b * 8 + r, k * 16 + c) = s[k % 2].at(r, c){};"
OTHER = GET.format(" + 0 * s[k % 2].at(7 - r, 15 - c)")

TWO: tuple[Sizes, ...] = ({"M": 35, "N": 18}, {"M": 16, "N": 32}, {"M": 3, "N": 1})
THREE: tuple[Sizes, ...] = ({"M": 19, "N": 9, "K": 21}, {"M": 16, "N": 32, "K": 16}, {"M": 1, "N": 2, "K": 3})
ONE: tuple[Sizes, ...] = ({"N": 150}, {"N": 64}, {"N": 65}, {"N": 2})
_SUMS = "src + np.append(src[1:], 0) + np.append(0, src[:-1])"
KERNELS: dict[str, tuple[str, tuple[Sizes, ...], str]] = {
    "transpose, zeros": (transpose(f"{TILE} else s.at(y, x) = 0;", BESIDE), TWO, "src.T"),
    "transpose, read as written": (transpose(TILE), TWO, "src.T"),
    "transpose, padded": (transpose(TILE, width=17), TWO, "src.T"),
    "transpose, ifs in ifs": (
        transpose("if (row < M) { if (N > col) { s.at(y, x) = src.at(row, col); } }"),
        TWO,
        "src.T",
    ),
    "transpose, one after the other": (
        transpose(
            "if (row >= M) s.at(y, x) = 0; else if (col >= N) s.at(y, x) = 0; else s.at(y, x) = src.at(row, col);",
            BESIDE,
        ),
        TWO,
        "src.T",
    ),
    "transpose, zeros by a second condition": (
        transpose(f"{TILE} if (M <= row || !(col < N)) s.at(y, x) = 0;", BESIDE),
        TWO,
        "src.T",
    ),
    "matmul": (SQUARE, THREE, "lhs @ rhs"),
    "matmul, by turns": (LINEAR, THREE, "lhs @ rhs"),
    "stencil": (stencil(MIDDLE + LEFT + RIGHT, 66), ONE, _SUMS),
    "stencil, by turns": (stencil(TURNS, 128), ONE, _SUMS),
    "ring, zeros": (ring(PUT + ZERO, OTHER), TWO, "src"),
    "ring, read as written": (ring(PUT, GET.format("")), TWO, "src"),
}


@pytest.mark.parametrize("name", KERNELS)
def test_the_textbook_ones_are_proved_and_right(name: str) -> None:
    text, sizes, formula = KERNELS[name]
    found = check(text, CHECK_BUDGET)
    assert (found.rules, found.strength, found.flow.reason) == ([], "proved", "")
    program = Program(text, sizes, (("dst", formula),))
    analysis = analysis_of(program)
    assert analysis is not None
    seen = simulate_program(program, analysis.model, 2 * len(sizes))
    assert (seen.kind, seen.detail) == ("clean", "")


WRONG = {
    "another edge": transpose("if (row < M && col < N - 1) s.at(y, x) = src.at(row, col);"),
    "the other's element": transpose(TILE, BESIDE),
    "not transposed": transpose(TILE, BACK.replace("s.at(x, y)", "s.at(y, x)")),
    "a condition less": transpose(
        "if (row < M) s.at(y, x) = src.at(row, col); else if (col < N) s.at(y, x) = 0;", BESIDE
    ),
    "the other side writes elsewhere": transpose(f"{TILE} else s.at(x, y) = 0;", BESIDE),
    "no halo on the right": stencil(MIDDLE + LEFT, 66),
    "every turn the same half": stencil(TURNS.replace("s.at(i * 64 + t)", "s.at(i * 64 + t / 2)"), 128),
    "a ring without zeros": ring(PUT, OTHER),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_may_be_left_unwritten_is_never_proved(name: str) -> None:
    found = check(WRONG[name], CHECK_BUDGET)
    assert found.strength == ("fails" if name == "another edge" else "unknown")


EITHER = "if ({}) s.at(y, x) = 1; else s.at(y, x) = src.at(0, 0);"


@pytest.mark.parametrize("condition", ["src.at(row, col) > 0", "src.at(0, 0) > row && col < N", "q * 16 + x / 2 < N"])
def test_whichever_side_is_taken_the_element_is_written(condition: str) -> None:
    """Data decides, or what cannot be said of an element alone: both sides are of the same threads."""
    both = check(transpose(EITHER.format(condition), BESIDE), CHECK_BUDGET)
    assert (both.rules, both.strength) == ([], "proved")
    elsewhere = EITHER.format(condition).replace("else s.at(y, x)", "else s.at(y, 15 - x)")
    assert check(transpose(elsewhere, BESIDE), CHECK_BUDGET).strength == "unknown"


OTHER_BY_THEN = {
    "data": "mutable s32 n = src.at(0); if (t < n) s.at(t) = 1; n = src.at(1); sync.shared; if (t < n) {}",
    "threads": "mutable s32 n = t; if (t + n < 64) s.at(t) = 1; n = t / 2; sync.shared; if (t + n < 64) {}",
    "data of each turn": "mutable s32 n = src.at(0);"
    " foreach i in 2 {{ if (t < n) s.at(t) = 1; n = src.at(i); sync.shared; if (t < n) {} }}",
}


@pytest.mark.parametrize("name", OTHER_BY_THEN)
def test_a_variable_that_holds_something_else_by_then(name: str) -> None:
    """The same words are not the same condition."""
    text = """__co__ void f(global s32 [64] src, global s32 [64] dst) {
      parallel b by 1 : block { shared s32 [64] s; parallel t by 64 : thread { BODY } }
    }"""
    other = OTHER_BY_THEN[name].replace("{}", "dst.at(n) = s.at(t);").replace("{{", "{").replace("}}", "}")
    assert check(text.replace("BODY", other), CHECK_BUDGET).strength == "unknown"
    same = re.sub(r"(?<=1; )n = [^;]*;", "", other)
    assert same != other
    assert check(text.replace("BODY", same), CHECK_BUDGET).strength == "proved"


def test_threads_of_the_next_parallel_are_the_same() -> None:
    """Half of the columns decides for two threads each; the reader's are those of the writer."""
    half = "if (q * 8 + x / 2 < N) {} "
    text = transpose(half.format("s.at(y, x * 2) = 1;"), half.format("dst.at(0, 0) = s.at(y, x * 2);"), width=32)
    assert check(text, CHECK_BUDGET).strength == "proved"
    other = transpose(half.format("s.at(y, x * 2) = 1;"), half.format("dst.at(0, 0) = s.at(x, y * 2);"), width=32)
    assert check(other, CHECK_BUDGET).strength == "unknown"


def test_a_condition_that_always_holds_leaves_nothing_out() -> None:
    """The last element of the last block is 16 * cdiv(N, 16) - 1: below N + 15, and not below N + 14."""
    text = transpose("if (col < N + {}) s.at(y, x) = 1;", BESIDE)
    assert check(text.replace("{}", "15"), CHECK_BUDGET).strength == "proved"
    assert check(text.replace("{}", "14"), CHECK_BUDGET).strength == "unknown"


def test_what_cannot_be_told_is_said_at_the_condition() -> None:
    found = check(transpose(TILE, BESIDE), CHECK_BUDGET)
    assert found.strength == "unknown"
    assert found.flow.reason == "whether this condition leaves anything unwritten that is read cannot be told"
    place = found.flow.place
    assert place is not None and transpose(TILE, BESIDE)[place.start : place.end] == "s.at(y, x) = src.at(row, col)"
