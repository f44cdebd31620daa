"""Places that move by more than one element: only those are written, and only those read."""

from __future__ import annotations

from itertools import product

import pytest

from croqc.flow.elements import Moving, boxes_in, touched
from croqc.flow.exprs import VARIES, Env, Expr, apply, const, var
from croqc.flow.regions import Extent
from tests.flow.pipes import Verdict, check

ONE = "shared s32 [512] o;"
FLAT = "dma.copy o => dst.subspan(512).at(b);"
ROWS = "shared s32 [64, 8] o;"
SPREAD = "dma.copy o.span_as(512) => dst.subspan(512).at(b);"


def kernel(body: str, threads: int = 256, buffers: str = ONE, out: str = FLAT) -> Verdict:
    return check(
        f"""__co__ void f(global s32 [N] src, global s32 [N] dst) {{
          assert(N % 512 == 0, "whole blocks");
          parallel b by N / 512 : block {{ {buffers}
            parallel t by {threads} : thread {{ {body} }}
            {out}
          }}
        }}"""
    )


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("o.at(t * 2) = 1;", "element 1"),
        ("o.at(2 * t + 1) = 1;", "element 0"),
        ("o.at(511 - t * 2) = 1;", "element 0"),
        ("foreach i in [2] { o.at(t * 2) = i; }", "element 1"),
        ("foreach i in [64] { o.at(i * 8 + t % 7) = 1; }", "element 7"),
        ("if (t < 100) o.at(t * 2) = 1; else o.at(t * 2 + 1) = 1;", "element 1"),
        ("o.at(t + t / 128 * 256) = 1;", "elements 128 to 383"),
    ],
)
def test_what_lies_between_is_not_written(body: str, part: str) -> None:
    found = kernel(body)
    assert found.rules == ["unwritten-read"]
    assert found.seen[0].finding.args["part"] == f"{part} of 'o'"


@pytest.mark.parametrize(
    "body",
    [
        "o.at(t * 2) = 1; o.at(t * 2 + 1) = 2;",
        "foreach i in [2] { o.at(t * 2 + i) = 1; }",
        "foreach i in [2] { o.at((t * 2 + i) ^ 5) = 1; }",
        "if (t % 2 == 0) { o.at(t * 2) = 1; o.at(t * 2 + 3) = 1; } else { o.at(t * 2) = 1; o.at(t * 2 - 1) = 1; }",
        "o.at(t % 16 * 32 + t / 16) = 1; o.at(t % 16 * 32 + 31 - t / 16) = 1;",
    ],
)
def test_what_several_fill_between_each_other_is_whole(body: str) -> None:
    found = kernel(body)
    assert (found.rules, found.strength) == ([], "proved")


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("o.at(t / 4, t % 4 * 2) = 1;", "column 1"),
        ("foreach j in [8] { o.at(t % 32 * 2, j) = 1; }", "row 1"),
        ("o.at(t / 4, t % 8) = 1;", "columns 4 to 7 of row 0"),
    ],
)
def test_along_each_dimension(body: str, part: str) -> None:
    found = kernel(body, buffers=ROWS, out=SPREAD)
    assert found.rules == ["unwritten-read"]
    assert found.seen[0].finding.args["part"] == f"{part} of 'o'"


def test_a_linear_index_in_two_dimensions_is_whole() -> None:
    body = "foreach i in [2] { o.at((i * 256 + t) / 8, (i * 256 + t) % 8) = 1; }"
    found = kernel(body, buffers=ROWS, out=SPREAD)
    assert (found.rules, found.strength) == ([], "proved")


def test_who_reads_what_was_written_reads_no_more() -> None:
    read = "sync.shared; parallel t by 256 : thread { dst.at(b * 512 + t) = o.at({}); }"
    even = kernel("o.at(t * 2) = 1;", out=read.replace("{}", "t * 2"))
    assert (even.rules, even.strength) == ([], "proved")
    odd = kernel("o.at(t * 2) = 1;", out=read.replace("{}", "t * 2 + 1"))
    assert odd.strength == "checked" and "element 1 of 'o', slot 0" not in odd.flow.reason
    assert "all but element 1 of 'o', which is never written" in odd.flow.reason


@pytest.mark.parametrize("place", ["src.at(t)", "src.at(t) % 512"])
def test_a_place_that_data_decides_is_not_said_to_be_all(place: str) -> None:
    found = kernel(f"o.at({place}) = 1;", threads=512)
    assert (found.rules, found.strength) == ([], "unknown")
    assert found.flow.reason == "which part of a buffer is written here cannot be told"
    filled = kernel(f"o.at(t) = 0; sync.shared; o.at({place}) = 1;", threads=512)
    assert (filled.rules, filled.strength) == ([], "proved")


def turns(count: int, put: str, get: str = "dma.copy o => dst.subspan(512).at(0);") -> Verdict:
    return check(
        f"""__co__ void f(global s32 [N] src, global s32 [N] dst) {{
          parallel b by 1 : block {{ {ONE} shared event full, empty = ready;
            parallel p by 2 : group-4, t by 128 : thread {{
              inthreads.async (p == 0) {{ foreach k in [{count}] {{ wait empty; {put} trigger full; }} }}
              inthreads.async (p == 1) {{ foreach k in [{count}] {{ wait full; {get} trigger empty; }} }}
            }}
          }}
        }}"""
    )


QUARTER = "o.at(k % 4 * 128 + t) = 1;"
SAME = "dst.at(t) = o.at(k % 4 * 128 + t);"


def test_what_a_later_turn_writes_comes_too_late() -> None:
    """The first turn reads all, of which it has written a quarter."""
    late = turns(4, QUARTER)
    assert late.rules == ["unwritten-read"]
    assert late.flow.findings[0].args["part"] == "elements 128 to 511 of 'o'"
    long = turns(4096, QUARTER)
    assert (long.rules, long.strength) == ([], "unknown")
    assert long.flow.reason == "some of what is read here is written only later"
    assert long.flow.place is not None
    for count in (4, 4096):
        whole = turns(count, "foreach i in [4] { o.at(i * 128 + t) = 1; }")
        assert (whole.rules, whole.strength) == ([], "proved")


def test_each_turn_reads_what_it_has_written() -> None:
    assert turns(4, QUARTER, SAME).strength == "proved"
    other = turns(4, QUARTER, SAME.replace("k % 4", "(k + 1) % 4"))
    assert (other.rules, other.strength) == ([], "checked")
    assert "elements 128 to 255 of 'o', which are read before they are written" in other.flow.reason
    assert turns(4, f"if (k == 0) {{ o.at(t * 2) = 1; }} {QUARTER}", SAME).strength == "proved"


def test_a_sum_starts_from_something() -> None:
    add = "foreach i in [4] { o.at(i * 128 + t) += 1; }"
    assert turns(4, f"if (k == 0) {{ o.at(t * 2) = 0; }} {add}").strength == "unknown"
    assert turns(4, f"if (k == 0) {{ foreach i in [4] {{ o.at(t * 4 + i) = 0; }} }} {add}").strength == "proved"


def test_of_a_long_loop_only_what_was_seen_counts_as_written() -> None:
    """Each half, by turns: every second element of it."""
    assert turns(4096, "o.at(k % 2 * 256 + t * 2) = 1;").strength == "unknown"


# --- elements, against all places one by one -----------------------------------------------------------

T, P, J = 0, 1, 2  # two indices of 24 threads, and one of a loop
THREADS = {T: [number % 12 for number in range(24)], P: [number // 12 for number in range(24)]}
ENV: Env = [VARIES, VARIES, VARIES]
t, p, j = var(T), var(P), var(J)


def times(expr: Expr, by: int) -> Expr:
    return apply("*", expr, const(by))


PARTS: dict[str, tuple[tuple[int, ...], list[Expr], list[int]]] = {
    "a line": ((64,), [t], [1]),
    "backwards": ((64,), [apply("-", const(40), times(t, 3))], [1]),
    "beyond both ends": ((20,), [apply("-", times(t, 3), const(4))], [1]),
    "backwards beyond both ends": ((20,), [apply("-", const(22), times(t, 2))], [2]),
    "two lines": ((64,), [apply("+", times(p, 30), times(j, 7))], [2]),
    "one in the other": ((80,), [apply("+", times(apply("/", t, const(4)), 9), apply("%", t, const(4)))], [1]),
    "a box": ((8, 10), [p, t], [1, 1]),
    "a diagonal": ((12, 12), [t, t], [1, 1]),
    "rows": ((9, 5), [apply("+", j, times(p, 4)), const(1)], [1, 3]),
    "across, with some outside": ((7, 9), [apply("-", t, j), apply("+", p, j)], [1, 2]),
    "swizzled": ((12, 16), [t, apply("^", j, apply("%", t, const(8)))], [1, 1]),
}


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("apart", [True, False])
def test_elements_are_those_of_all_places(name: str, apart: bool) -> None:
    shape, lows, lengths = PARTS[name]
    free = {J: range(0, 6, 2)} | ({T: range(12), P: range(2)} if apart else {})
    part = [Extent(low, const(length)) for low, length in zip(lows, lengths, strict=True)]
    found, sure = touched(part, shape, None, ENV, Moving(THREADS, free, None))
    expected = set[tuple[int, ...]]()
    for thread, turn in product(range(24), free[J]):
        env = [THREADS[T][thread], THREADS[P][thread], turn]
        first = [low.code()(env) for low in lows]
        sides = [range(low, low + length) for low, length in zip(first, lengths, strict=True)]
        if all(side[0] >= 0 and side[-1] < size for side, size in zip(sides, shape, strict=True)):
            expected |= set(product(*sides))
    boxes = (product(*(range(*side) for side in box)) for box in boxes_in(found, shape))
    got = [place for box in boxes for place in box]
    assert sure and set(got) == expected and len(got) == len(expected)
