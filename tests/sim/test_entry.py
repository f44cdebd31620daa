"""The checks at entry (reference, 3.9 and 5.5): what fails, in which order, and where."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.kernels import Array, run

TMA = """__co__ void f(global s32 [M, N] a, global s32 [M, N] o) {
  parallel b by 1 : block {
    shared s32 [8, 16] s;
    tma.copy a.subspan(8, 16).at(0, 0) => s;
    dma.copy s => o.subspan(8, 16).at(0, 0);
  }
}"""


def square(rows: int, columns: int) -> dict[str, Array]:
    return {name: np.zeros((rows, columns), np.int32) for name in "ao"}


def failing(text: str, arrays: dict[str, Array], **scalars: int) -> tuple[str, str]:
    """The message and the text at its place; nothing has run."""
    result = run(text, arrays, scalars)
    assert result.error is not None
    assert not result.error.unsupported
    assert result.steps == 0
    span = result.error.span
    return result.error.message, text[span.start : span.end]


def test_tma_takes_rows_of_whole_units_of_16_bytes() -> None:
    message, place = failing(TMA, square(37, 53))
    assert message == "TMA cannot take 'a': a stride of 212 bytes is no multiple of 16"
    assert place.startswith("tma.copy a.subspan(8, 16)")
    assert run(TMA, square(37, 52)).error is None  # 208 bytes


def test_every_stride_of_a_tensor_counts() -> None:
    text = TMA.replace("[M, N]", "[M, N, 2]").replace("(8, 16)", "(8, 8, 2)").replace("(0, 0)", "(0, 0, 0)")
    text = text.replace("s32 [8, 16]", "s32 [8, 8, 2]").replace("s32", "f64")
    arrays = {name: np.zeros((3, 5, 2)) for name in "ao"}  # 16 bytes, 80 bytes
    assert run(text, arrays).error is None


@pytest.mark.parametrize(
    ("extents", "n", "message"),
    [
        ("8, n", 6, "TMA copies rows of a multiple of 16 bytes, this one of 24"),
        (
            "8, n",
            260,
            "TMA copies boxes of at most 256 elements a dimension, and a tile of 8 x 260 is none, nor made of such",
        ),
    ],
)
def test_the_box_of_tma_has_limits(extents: str, n: int, message: str) -> None:
    assert failing(boxed(extents), square(512, 512), n=n)[0] == message


@pytest.mark.parametrize(("extents", "n"), [("n, 16", 300), ("8, n", 264), ("1, n", 260)])
def test_longer_tiles_are_several_boxes(extents: str, n: int) -> None:
    assert run(boxed(extents), square(512, 512), {"n": n}).error is None


def boxed(extents: str) -> str:
    text = TMA.replace("a.subspan(8, 16)", f"a.subspan({extents})").replace("[8, 16] s", "[512, 512] s")
    text = text.replace("=> s;", f"=> s.subspan({extents}).at(0, 0);").replace("o)", "o, int n)")
    return text.replace("copy s =>", "copy s.subspan(8, 16).at(0, 0) =>")


def test_the_source_of_a_copy_is_not_larger_than_its_destination() -> None:
    text = "__co__ void f(global s32 [M] a, global s32 [N] o) { dma.copy a => o; }"
    message, place = failing(text, {"a": np.zeros(5, np.int32), "o": np.zeros(4, np.int32)})
    assert (message, place) == ("5 elements are copied to 4", "dma.copy a => o;")
    assert run(text, {"a": np.zeros(4, np.int32), "o": np.zeros(5, np.int32)}).error is None


def test_a_transposed_source_has_the_extents_of_its_destination() -> None:
    text = "__co__ void f(global s32 [M, N] a, global s32 [P, Q] o) { dma.transp<1, 0> a => o; }"
    arrays = {"a": np.zeros((3, 4), np.int32), "o": np.zeros((4, 2), np.int32)}
    message, place = failing(text, arrays)
    assert message == "dimension 1 of the transposed source has 3 elements, it goes to 2"
    assert place.startswith("dma.transp")


@pytest.mark.parametrize(
    ("body", "n", "message", "place"),
    [
        ("shared s32 [n - 4] s; a.at(0) = 1;", 4, "an extent of 's' is 0; it must be at least 1", "s"),
        ("with k in [n - 4] { a.at(0) = 1; }", 4, "this extent is 0", "[n - 4]"),
        ('a.at(0) = 1; assert(n > 4, "n is large");', 4, "assertion failed: n is large", "assert(n > 4"),
        (
            "a.at(n + 4) = 1;",
            4,
            "index 8 of 'a' is out of range in dimension 0: 8 elements exist there",
            "a.at(n + 4)",
        ),
    ],
)
def test_other_checks(body: str, n: int, message: str, place: str) -> None:
    text = f"__co__ void f(global s32 [8] a, int n) {{ parallel t by 1 : block {{ {body} }} }}"
    found, at = failing(text, {"a": np.zeros(8, np.int32)}, n=n)
    assert found == message
    assert at.startswith(place)


@pytest.mark.parametrize(
    ("bound", "n", "message"),
    [
        ("by n - 4 : thread", 4, "a bound of this parallel is 0; it must be at least 1"),
        ("by n : thread", 1025, "a block would have 1025 threads; 1024 are possible"),
        ("by n : group-4", 9, "a block would have 1152 threads; 1024 are possible"),
    ],
)
def test_launches(bound: str, n: int, message: str) -> None:
    text = f"__co__ void f(global s32 [8] a, int n) {{ parallel p {bound} {{ }} }}"
    assert failing(text, {"a": np.zeros(8, np.int32)}, n=n)[0] == message


def test_parallels_one_after_the_other_do_not_add_up() -> None:
    inner = "parallel t by n : thread { }"
    text = f"__co__ void f(global s32 [8] a, int n) {{ parallel b by 1 : block {{ {inner} {inner} }} }}"
    assert run(text, {"a": np.zeros(8, np.int32)}, {"n": 1024}).error is None


def test_the_checks_come_in_the_order_of_the_reference() -> None:
    text = """__co__ void f(global s32 [8] a, int n) {
      assert(n > 4, "n is large");
      parallel p by n - 4 : thread { }
    }"""
    assert failing(text, {"a": np.zeros(8, np.int32)}, n=4)[0].startswith("a bound of this parallel")


def test_what_a_condition_guards_is_checked_where_it_is_reached() -> None:
    text = "__co__ void f(global s32 [8] a, int n) { parallel p by 8 : thread { if (n < 8) a.at(n) = 1; } }"
    assert run(text, {"a": np.zeros(8, np.int32)}, {"n": 9}).error is None


def test_an_assertion_in_a_role_is_checked_before_what_would_hang() -> None:
    text = """__co__ void f(global s32 [8] a, int n) { parallel b by 1 : block {
      shared event e;
      parallel p by 2 : group-4 {
        inthreads.async (p == 0) { wait e; assert(n > 4, "n is large"); }
        inthreads.async (p == 1) { if (n > 4) { trigger e; } }
      }
    } }"""
    message, place = failing(text, {"a": np.zeros(8, np.int32)}, n=4)
    assert message == "assertion failed: n is large"
    assert place.startswith("assert(n > 4")
    assert run(text, {"a": np.zeros(8, np.int32)}, {"n": 5}).error is None


def test_an_assertion_under_a_condition_is_checked_where_it_is_reached() -> None:
    text = """__co__ void f(global s32 [8] a, int n) {
      parallel p by 1 : thread { if (n < 3) { assert(n > 4, "never"); } }
    }"""
    assert run(text, {"a": np.zeros(8, np.int32)}, {"n": 4}).error is None
