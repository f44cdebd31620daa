"""Default sizes: the smallest ones at which every index lies in its data, and why there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.runs.sizes import NoSizesError, default_sizes
from croqc.sema.model import Model
from croqc.service.check import check_text

EXAMPLES = Path(__file__).parents[2] / "examples"


def model_of(text: str) -> Model:
    analysis = check_text(text).functions[0].analysis
    assert analysis is not None
    return analysis.model


def sizes_of(body: str, parameters: str = "global s32 [N] x, global s32 [N] y", **given: int) -> dict[str, int]:
    return default_sizes(model_of(f"__co__ void f({parameters}) {{\n{body}\n}}\n"), given)


def test_a_triple_buffer_gets_seven_turns_behind_its_first_two() -> None:
    # 16 rows of tiles; `foreach c(2:)` and three buffers: C / 32 - 2 >= 2 * 3 + 1.
    assert default_sizes(model_of((EXAMPLES / "rotate_triple.co").read_text()), {}) == {"R": 16, "C": 288}


def test_a_plain_copy_feeds_a_multiply_whole_tiles() -> None:
    # Tiles of 64; two buffers swapped in a loop from 1: K / 64 - 1 >= 5.
    found = default_sizes(model_of((EXAMPLES / "swap_f16.co").read_text()), {})
    assert found == {"M": 64, "N": 64, "K": 384}


@pytest.mark.parametrize("fill", ["dma.copy.zfill", "tma.copy"])
def test_a_filled_tile_may_overhang(fill: str) -> None:
    body = f"""parallel b by cdiv(N, 64) : block {{
      shared s32 [64, 64] tile;
      {fill} x.subspan(64, 64).at(b, 0) => tile;
      dma.copy tile => y.subspan(64, 64).at(b, 0);
    }}"""
    found = sizes_of(body, "global s32 [N, 64] x, global s32 [N, 64] y")
    assert found == {"N": 1}
    assert sizes_of(body.replace(fill, "dma.copy"), "global s32 [N, 64] x, global s32 [N, 64] y") == {"N": 64}


@pytest.mark.parametrize(
    ("index", "least"),
    [
        ("N / 4 - 2", 8),  # 0 or more
        ("N - 5", 5),
        ("k + 3", 7),  # k up to 3
        ("2 * k + 1", 8),
        ("(N / 4) * k", 4),  # 3 * N / 4 is always inside
        ("k % 2 + 9", 12),  # N a multiple of 4 there
    ],
)
def test_an_index_stays_inside_its_data(index: str, least: int) -> None:
    body = f"foreach k in [4] {{ y.at({index}) = 1; }}"
    uses_quarter = "N / 4" in index or "9" in index
    extra = "foreach q in [N / 4] { y.at(q) = 0; }" if uses_quarter else ""
    assert sizes_of(f"parallel p by 1 : thread {{ {body} {extra} }}") == {"N": least}


def test_given_sizes_are_kept_and_the_rest_fits_them() -> None:
    body = """parallel b by cdiv(N, 8) : block {
      parallel t by 8 : thread inthreads (t < 4) { foreach k in [cdiv(N, 16)] { y.at(b, k) = x.at(k); } }
    }"""
    parameters = "global s32 [S] x, global s32 [R, S] y"
    with_n = "global s32 [N] z, " + parameters
    assert sizes_of(body, with_n, N=80) == {"N": 80, "S": 5, "R": 10}


def test_an_index_under_a_condition_that_speaks_of_it_asks_for_nothing() -> None:
    body = "parallel p by 8 : thread { if (p < N) y.at(p) = x.at(p); }"
    assert sizes_of(body) == {"N": 1}
    jump = "parallel p by 1 : thread { foreach k in [8] { if (k >= N) break; y.at(k) = x.at(k); } }"
    assert sizes_of(jump) == {"N": 1}


@pytest.mark.parametrize(
    "guard",
    [
        "bool ok = p < N; if (ok)",
        "mutable bool ok = false; if (p < N) { ok = true; } if (ok)",
        "if (p < N && x.at(p) > 0)",
    ],
)
def test_a_variable_guards_as_the_condition_that_it_holds(guard: str) -> None:
    assert sizes_of(f"parallel p by 8 : thread {{ {guard} y.at(p) = x.at(p); }}") == {"N": 1}


def test_a_slice_of_a_loop_moves_its_index() -> None:
    body = """parallel p by 1 : thread { with k in [N] { foreach k(2:) { y.at(k - 2) = x.at(k); } } }"""
    assert sizes_of(body) == {"N": 1}  # without a turn nothing is indexed
    body = body.replace("k - 2", "k - 3")
    with pytest.raises(NoSizesError) as caught:  # N = 1 and 2 give no turn, and from 3 on the first one is at -1
        sizes_of(body, N=3, parameters="global s32 [N] x, global s32 [M] y")
    assert "k - 3 a place in y, which has M there" in str(caught.value)


def test_no_size_is_a_message_that_asks_for_a_run_line() -> None:
    with pytest.raises(NoSizesError) as caught:
        sizes_of("parallel p by 1 : thread { y.at(N) = 1; }")
    assert str(caught.value) == ("no sizes up to 4096 make N a place in y, which has N there; write '// croq: run N=…'")


def test_bounds_of_launches_and_loops_are_at_least_one() -> None:
    assert sizes_of("parallel p by N - 3 : thread { y.at(p + 3) = 0; }") == {"N": 4}
    assert sizes_of("parallel p by 1 : thread { foreach k in [N / 8 - 1] { y.at(k) = 0; } }") == {"N": 16}


def test_a_tuple_of_indices_stays_inside() -> None:
    body = "parallel t = {i, j} by [3, 5] : thread { y.at(t) = 1; }"
    assert sizes_of(body, "global s32 [M, N] x, global s32 [M, N] y") == {"M": 3, "N": 5}


def test_a_buffer_of_an_array_is_one_of_them() -> None:
    body = """parallel b by 1 : block {
      shared s32 [4] s[3];
      parallel t by 4 : thread { foreach k in [N / 4 - 2] { s[k].at(t) = 1; s[N / 4 - 4].at(t) = 2; } }
    }"""
    assert sizes_of(body) == {"N": 16}


def test_an_output_that_two_statements_write_in_halves() -> None:
    assert sizes_of("parallel p by N / 2 : thread { y.at(p) = 1; y.at(p + N / 2) = 2; }") == {"N": 2}
