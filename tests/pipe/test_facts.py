"""What the divisors of sizes prove, and what the pass cover makes of it."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Fn, Lit, Op, Var, multiply, subtract
from croqc.pipe.facts import Facts
from croqc.pipe.passes.cover import cover
from croqc.pipe.sums import sums_of
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import SRC, box, kernel, load
from tests.pipe.lowering import env_of, only

FACTS = Facts.of({"M": 384, "K": 100, "ZERO": 0, "HUGE": 1 << 20, "scale": 2.0, "flag": True})
M, K, B = Var("M"), Var("K"), Var("b")


@pytest.mark.parametrize(
    ("expr", "divisor"),
    [
        (Lit(12), 12),
        (Lit(-12), 12),
        (Lit(0), 0),
        (M, 128),  # 384 = 3 * 128: powers of two alone
        (K, 4),
        (Var("HUGE"), 256),
        (Var("ZERO"), 256),
        (Var("unknown"), 1),
        (Op("*", (K, Lit(6))), 24),
        (Op("+", (M, K)), 4),
        (Op("-", (M, Lit(64))), 64),
        (Op("+", (M, Lit(0))), 128),
        (Op("/", (M, Lit(2))), 1),
        (Op("*", (B, Lit(64))), 64),
    ],
)
def test_divisors(expr: Expr, divisor: int) -> None:
    assert FACTS.divisor(expr) == divisor


@pytest.mark.parametrize(
    ("value", "divisor"),
    [
        (Var("at"), 64),
        (Op("+", (Var("at"), Var("k"))), 32),
        (Op("<<", (B, Lit(4))), 16),
        (Op("<<", (B, B)), 1),
        (Var("itself"), 1),
        (Var("three"), 16),  # powers of two alone
        (Var("of_a_size"), 128),
    ],
)
def test_variables_that_keep_their_values(value: Expr, divisor: int) -> None:
    sums: dict[str, tuple[Expr, ...]] = {
        "at": (Op("*", (B, Lit(64))),),
        "k": (Lit(0), Lit(32)),
        "itself": (Op("+", (Var("itself"), Lit(1))),),
        "three": (Op("*", (B, Lit(48))),),
        "of_a_size": (Op("*", (M, B)),),
    }
    assert Facts.of({"M": 384}, sums).divisor(value) == divisor


def test_what_a_variable_owes_to_a_size_is_noted() -> None:
    facts = Facts.of({"M": 384}, {"x": (Op("*", (M, B)),), "y": (Op("<<", (Var("x"), Lit(1))),)})
    assert facts.divides(64, Var("y"))
    assert facts.noted() == (("M", 32),)


def test_variables_by_their_values() -> None:
    def let(name: str, **more: object) -> ir.Let:
        return replace(ir.Let(NOWHERE, name, "s32", Lit(8)), **more)

    turn = ir.Loop(NOWHERE, "k", Lit(2), M, Lit(4), (let("in_loop"), let("twice"), let("moves", changes=True)))
    assert sums_of((let("twice"), turn)) == {"k": (Lit(2), Lit(4)), "in_loop": (Lit(8),)}


def test_numbers_that_are_no_integers_are_no_facts() -> None:
    assert set(FACTS.divisors) == {"M", "K", "ZERO", "HUGE"}


def test_a_chunk_of_a_whole_number_of_tiles_is_a_tile() -> None:
    chunk = Op("/", (M, Fn("cdiv", (M, Lit(64)), "s32")))
    assert FACTS.simplified(chunk) == Lit(64)
    assert FACTS.simplified(Op("*", (B, chunk))) == Op("*", (B, Lit(64)))
    odd = Op("/", (K, Fn("cdiv", (K, Lit(64)), "s32")))
    assert FACTS.simplified(odd) == odd


def test_what_an_answer_hangs_on_is_noted() -> None:
    facts = Facts.of({"M": 128, "N": 48, "K": 72})
    assert facts.divides(16, Op("*", (Var("K"), Lit(2))))  # K % 8 is what counts
    assert facts.noted() == (("K", 8),)
    assert not facts.divides(32, Op("*", (Var("K"), Lit(2))))
    assert facts.noted() == (("K", 8),)
    assert facts.divides(64, Op("+", (Var("M"), Op("*", (B, Lit(64))))))
    assert facts.noted() == (("K", 8), ("M", 64))
    assert not facts.divide(((16, Var("N")), (64, Var("N"))))  # all of it, or nothing is relied on
    assert facts.noted() == (("K", 8), ("M", 64))


TILES = Fn("cdiv", (Var("M"), Lit(64)), "s32")  # of 64 rows


def guarded(sizes: dict[str, int], origin: Expr, grid: Expr = TILES) -> tuple[object, tuple[tuple[str, int], ...]]:
    """The bounds of a tile of rows from `origin` after cover, and what it relied on."""
    limit = subtract(Var("M"), origin)
    made = replace(kernel(load(source=box(SRC, origin, Lit(0), valid=(limit, None)))), grid=(grid,))
    env = env_of(sizes)
    (copy,) = only(cover(made, env), type(load()))
    return copy.source.valid, env.facts.noted()


def test_a_tile_that_certainly_lies_inside_loses_its_bound() -> None:
    assert guarded({"M": 128, "K": 64}, multiply(B, Lit(64))) == ((None, None), (("M", 64),))


def test_an_index_that_goes_on_behind_the_tensor_keeps_it() -> None:
    """A tile outside the tensor has no elements (reference, 5.2): that 64 divides the start says nothing of its end."""
    limit = subtract(Var("M"), multiply(B, Lit(64)))
    assert guarded({"M": 128, "K": 64}, multiply(B, Lit(64)), grid=Lit(3))[0] == (limit, None)
    assert guarded({"M": 128, "K": 64}, multiply(B, Lit(64)), grid=Var("n"))[0] == (limit, None)


@pytest.mark.parametrize(("first", "back", "inside"), [(0, 0, True), (2, 0, True), (2, 2, True), (1, 2, False)])
def test_the_index_of_a_loop_over_all_tiles_lies_inside(first: int, back: int, inside: bool) -> None:
    """`for t in first:cdiv(M, 64)` and the tile `t - back`, which lies before the first where `first < back`."""
    origin = multiply(subtract(Var("t"), Lit(back)), Lit(64))
    limit = subtract(Var("M"), origin)
    copy = load(source=box(SRC, origin, Lit(0), valid=(limit, None)))
    made = kernel(ir.Loop(NOWHERE, "t", Lit(first), TILES, Lit(1), (copy,)))
    (done,) = only(cover(made, env_of({"M": 128, "K": 64})), type(copy))
    assert done.source.valid == ((None if inside else limit), None)


def test_a_view_that_ends_before_its_tensor_keeps_its_bound() -> None:
    limit = Fn("__min", (Var("rest"), Lit(64)), "s32")
    copy = load(source=box(SRC, multiply(B, Lit(64)), Lit(0), valid=(limit, None)))
    (done,) = only(cover(replace(kernel(copy), grid=(TILES,)), env_of({"M": 128, "K": 64})), type(copy))
    assert done.source.valid == (limit, None)


def test_a_tensor_that_is_no_multiple_keeps_it() -> None:
    limit = subtract(Var("M"), multiply(B, Lit(64)))
    assert guarded({"M": 100, "K": 64}, multiply(B, Lit(64))) == ((limit, None), ())


def test_a_tile_that_starts_between_two_keeps_it() -> None:
    limit = subtract(Var("M"), multiply(B, Lit(32)))
    assert guarded({"M": 128, "K": 64}, multiply(B, Lit(32))) == ((limit, None), ())
