"""Which loops store every tile once: what is proved is counted out for many sizes, what meets again is never proved."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Cast, Expr, Fn, Lit, Op, Var
from croqc.pipe.ranges import Range, Ranges, below
from croqc.pipe.turns import constant_of, terms_of
from tests.pipe.lowering import after, only

BLOCKS = 5
TEXT = """__co__ void f(global f16 [M, N] y, global s32 [64] order, int c) {{
  int tiles_m = cdiv(M, 64);
  int tiles_n = cdiv(N, 64);
  int tiles = tiles_m * tiles_n;
  int band = 3 * tiles_n;
  parallel b by 5 : block {{
    shared f16 [64, 64] s;
    mutable int steps = 0;
    foreach {{ti}} in [cdiv(tiles, 5)] {{
      id = ti * 5 + b;
      {body}
      {after}
    }}
  }}
}}
"""
STORE = "tma.copy s => y.subspan(64, 64).at(m, n);"
RASTER = """first = id / band * 3;
        rows = tiles_m - first < 3 ? tiles_m - first : 3;
        m = first + id % band % rows;
        n = id % band / rows;"""
Place = tuple[int, int]


def waits_for_what_is_written(body: str, behind: str = "") -> bool:
    kernel = after("stored", TEXT.format(body=body, after=behind), {"M": 256, "N": 256})
    (wait, *_) = {stmt.written for stmt in only(kernel, ir.StoresRead)}
    return wait


def guarded(lets: str, store: str = STORE, cond: str = "id < tiles") -> str:
    return f"if ({cond}) {{ {lets} {store} }}"


def rows_as(text: str) -> str:
    return RASTER.replace("tiles_m - first < 3 ? tiles_m - first : 3", text)


def raster(number: int, tiles_m: int, tiles_n: int, gap: int = 3) -> Place:
    first = number // (3 * tiles_n) * gap
    rows = min(tiles_m - first, 3)
    inside = number % (3 * tiles_n)
    return first + inside % rows, inside // rows


Told = Callable[[int, int, int], Place]
PROVED: list[tuple[str, str, Told]] = [
    ("rows of tiles", guarded("m = id / tiles_n; n = id % tiles_n;"), lambda i, m, n: (i // n, i % n)),
    ("columns of tiles", guarded("m = id % tiles_m; n = id / tiles_m;"), lambda i, m, n: (i % m, i // m)),
    ("bands", guarded(RASTER), raster),
    ("bands behind a jump", f"if (id >= tiles) {{ break; }} {RASTER} {STORE}", raster),
    ("bands by a minimum", guarded(rows_as("__min(3, tiles_m - first)")), raster),
    ("bands, turned around", guarded(rows_as("3 <= tiles_m - first ? 3 : tiles_m - first")), raster),
    ("pairs of columns", guarded("m = id / 2; n = id % 2;"), lambda i, m, n: (i // 2, i % 2)),
    (
        "from the last row on",
        guarded("m = tiles_m - 1 - id / tiles_n; n = id % tiles_n;"),
        lambda i, m, n: (m - 1 - i // n, i % n),
    ),
]
OVERLAPPING = "tma.copy s => y.subspan(64, 64).step(32, 64).at(m, n);"
MEETING: list[tuple[str, str, Told]] = [
    ("one tile", guarded("m = b; n = 0;"), lambda i, m, n: (0, 0)),
    ("every second time", guarded("m = id / 10; n = b;"), lambda i, m, n: (i // 10, i % 5)),
    ("another number", guarded("m = id / tiles_n; n = id % 3;"), lambda i, m, n: (i // n, i % 3)),
    ("bands too near", guarded(RASTER.replace("band * 3;", "band * 2;")), lambda i, m, n: raster(i, m, n, 2)),
    (
        "rows that overlap",
        guarded("m = id / tiles_n; n = id % tiles_n;", OVERLAPPING),
        lambda i, m, n: (i // n // 2, i % n),
    ),
    ("sums", guarded("m = id / tiles_n + id % tiles_n; n = 0;"), lambda i, m, n: (i // n + i % n, 0)),
]
UNKNOWN = [
    ("bands without an end", guarded(RASTER, cond="id < c")),
    ("bands up to another number", guarded(RASTER, cond="id <= tiles")),
    ("bands where the guard does not hold", f"if (id < tiles) {{ }} else {{ {RASTER} {STORE} }}"),
    ("an order that memory holds", guarded("i = order.at(ti); m = i / tiles_n; n = i % tiles_n;")),
    ("a number that changes", guarded(f"m = steps; n = 0; {STORE} steps = steps + 1;", "")),
    ("a product", guarded("m = id * c; n = 0;")),
]


@pytest.mark.parametrize(("body", "tile"), [each[1:] for each in PROVED], ids=[each[0] for each in PROVED])
def test_loops_that_store_every_tile_once_wait_for_reading_alone(body: str, tile: Told) -> None:
    assert not waits_for_what_is_written(body)
    for tiles_m, tiles_n in product(range(1, 12), repeat=2):
        for block in range(BLOCKS):
            seen = [tile(number, tiles_m, tiles_n) for number in range(block, tiles_m * tiles_n, BLOCKS)]
            assert len(set(seen)) == len(seen)


@pytest.mark.parametrize(("body", "tile"), [each[1:] for each in MEETING], ids=[each[0] for each in MEETING])
def test_loops_that_come_back_to_a_tile_wait_until_it_is_written(body: str, tile: Told) -> None:
    assert waits_for_what_is_written(body)
    meet = False
    for tiles_m, tiles_n, block in product(range(1, 20), range(1, 20), range(BLOCKS)):
        seen = [tile(number, tiles_m, tiles_n) for number in range(block, tiles_m * tiles_n, BLOCKS)]
        meet |= len(set(seen)) < len(seen)
    assert meet


@pytest.mark.parametrize("body", [each[1] for each in UNKNOWN], ids=[each[0] for each in UNKNOWN])
def test_loops_of_which_that_is_not_known_do_too(body: str) -> None:
    assert waits_for_what_is_written(body)


def test_an_island_may_change_what_a_tile_hangs_on() -> None:
    body = guarded("m = id / tiles_n; n = id % tiles_n;")
    assert waits_for_what_is_written(body, '__cpp__("steps = 1;");')


ROLES = """__co__ void f(global f16 [M, 64] y) {{
  parallel b by 2 : block {{
    shared f16 [64, 64] s[3];
    parallel p by 3 : group-4 {{
      inthreads.async ({who}) {{
        foreach {{t}} in [4] {{ tma.copy s[p] => y.subspan(64, 64).at({row}, 0); }}
      }}
    }}
  }}
}}
"""


@pytest.mark.parametrize(
    ("who", "row", "may"),
    [
        ("p == 1", "t + p", False),
        ("p > 0", "t + p", True),  # the one's second turn has the other's first tile
        ("p > 0", "t * 2 + p", False),
        ("p >= 0", "t * 2 + p", True),
        ("p >= 0", "t * 3 + p", False),
        ("p > 0", "p * 4 + t", False),
        ("p > 0", "p * 3 + t", True),
    ],
)
def test_paths_may_come_to_each_others_tiles(who: str, row: str, may: bool) -> None:
    kernel = after("stored", ROLES.format(who=who, row=row), {"M": 1024})
    assert {stmt.written for stmt in only(kernel, ir.StoresRead)} == {may}
    paths = {"p == 1": [1], "p > 0": [1, 2], "p >= 0": [0, 1, 2]}[who]
    turns = [(t, eval(row, {"t": t, "p": p})) for p in paths for t in range(4)]
    assert any(one != two and a == b for one, a in turns for two, b in turns) is may


# --- ranges --------------------------------------------------------------------------------------

X, Y, N = Var("x"), Var("y"), Var("n")
KNOWN = Ranges({"x": Range(0, 9), "n": Range(2, 4)}, [(X, Op("*", (Y, N))), (N, Y)])


def op(word: str, *args: Expr, elem: str = "s32") -> Expr:
    return Op(word, args, elem)


@pytest.mark.parametrize(
    ("expr", "found"),
    [
        (Lit(5), Range(5, 5)),
        (op("+", X, N), Range(2, 13)),
        (op("-", X, N), Range(-4, 7)),
        (op("-", Y, N), Range(1)),  # one is below the other
        (op("*", X, N), Range(0, 36)),
        (op("/", X, N), Range(0, 4)),
        (op("%", X, N), Range(0, 3)),
        (op("%", X, Lit(100)), Range(0, 9)),
        (op("%", op("-", X, Lit(1)), N), Range()),  # may be negative
        (op("/", X, op("-", N, Lit(2))), Range()),  # may be by 0
        (op("+", X, N, elem="u32"), Range()),  # may come round
        (op("?:", op("<", X, Lit(4), elem="bool"), X, Lit(7)), Range(0, 7)),
        (op("?:", op(">", X, Lit(4), elem="bool"), X, Lit(7)), Range(5, 9)),
        (op("?:", op("<", X, Lit(4), elem="bool"), Lit(7), X), Range(0, 9)),
        (Fn("cdiv", (X, N), "s32"), Range(0, 5)),
        (Fn("__min", (X, Y), "s32"), Range(None, 9)),
        (Fn("__max", (X, Y), "s32"), Range(0)),
        (Fn("other", (X, N), "s32"), Range()),
        (Cast(X, "s64"), Range(0, 9)),
        (Cast(Cast(X, "s64"), "s32"), Range()),
        (Y, Range()),
    ],
)
def test_ranges(expr: Expr, found: Range) -> None:
    assert KNOWN.of(expr) == found


def test_what_is_left_of_a_number_cut_to_bands() -> None:
    """x < y * n, so x / (3 * n) * 3 < y; not with bands of another height, nor with another limit."""
    cut = op("*", op("/", X, op("*", Lit(3), N)), Lit(3))
    assert KNOWN.less(cut, Y)
    assert not KNOWN.less(op("*", op("/", X, op("*", Lit(2), N)), Lit(3)), Y)
    assert not KNOWN.less(op("*", op("/", X, op("*", Lit(3), Y)), Lit(3)), Y)
    assert not Ranges({"n": Range(2, 4)}, [(X, Op("*", (Y, N)))]).less(cut, Y)  # x may be negative
    assert not Ranges({"x": Range(0)}, [(X, Op("*", (Y, N)))]).less(cut, Y)  # and n 0


def test_conditions_as_pairs() -> None:
    less, more = op("<", X, Y, elem="bool"), op(">=", X, N, elem="bool")
    assert below(op("&&", less, more, elem="bool"), True) == [(X, Y)]
    assert below(op("||", op("!", less, elem="bool"), more, elem="bool"), False) == [(X, Y), (X, N)]
    assert below(op("||", less, more, elem="bool"), True) == []
    assert below(op("==", X, Y, elem="bool"), True) == []


def test_sums() -> None:
    value = op("-", op("*", op("+", X, Lit(2)), Lit(3)), op("+", X, Y))
    assert (dict(terms_of(value)), constant_of(value)) == ({X: 2, Y: -1}, 6)
    cut = op("+", X, Y, elem="u32")
    assert terms_of(op("*", cut, Lit(2))) == ((cut, 2),)
