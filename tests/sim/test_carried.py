"""Variables of a block that its paths change: each path keeps its own, as each thread of a card does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.sim.kernels import ran, run

TEXT = """__co__ void f(global s32 [8] out) {{
  parallel b by 1 : block {{
    shared event go;
    mutable int n = 0;
    {body}
  }}
}}
"""
BOTH = "parallel p by 2 : group-4 { n = n + 1; }"
SHOWN = "parallel q by 2 : group-4 { parallel t by 128 : thread { if (t == 0) { out.at(q) = n; } } }"


def out(body: str, **options: Any) -> list[int]:
    return ran(TEXT.format(body=body), {"out": np.full(8, -1, np.int32)}, **options).outputs["out"].tolist()


def test_what_all_paths_do_counts_once_in_each_thread() -> None:
    assert out(BOTH + SHOWN)[:2] == [1, 1]
    assert out(f"foreach k in 3 {{ {BOTH} }} {SHOWN}")[:2] == [3, 3]


def test_a_path_keeps_its_own_from_one_parallel_to_the_next() -> None:
    turns = "foreach k in 3 { parallel p by 2 : group-4 { inthreads.async (p == 1) { n = n + 10; } } }"
    assert out(turns + SHOWN)[:2] == [0, 30]


def test_a_value_of_the_block_is_new_for_all_paths() -> None:
    assert out(f"foreach k in 3 {{ n = 5; {BOTH} }} {SHOWN}")[:2] == [6, 6]
    assert out(f"{BOTH} foreach k in 2 {{ {BOTH} n = 0; }} {SHOWN}")[:2] == [0, 0]


def test_a_variable_declared_in_a_loop_begins_anew() -> None:
    body = "foreach k in 3 { mutable int m = k; parallel p by 2 : group-4 { m = m + 1; n = m; } }"
    assert out(body + SHOWN)[:2] == [3, 3]


def test_the_block_goes_on_with_what_all_paths_have_made() -> None:
    assert out(BOTH + "out.at(7) = n;")[7] == 1
    assert out(f"while (n < 4) {{ {BOTH} }} out.at(7) = n; {SHOWN}") == [4, 4, -1, -1, -1, -1, -1, 4]


def test_where_paths_meet_here_alone_the_run_says_so() -> None:
    """Reading the variable joins nothing on a card; a shared tensor that both use does."""

    def notes(body: str) -> list[str]:
        found = ran(TEXT.format(body=body), {"out": np.full(8, -1, np.int32)})
        return [text for text in found.notes if text.startswith("paths waited for each other")]

    assert len(notes(f"while (n < 4) {{ {BOTH} }} {SHOWN}")) == 1
    assert notes(BOTH + SHOWN) == []
    fill = "parallel t by 128 : thread { s.at(p * 128 + t) = 1; }"
    joining = f"shared s32 [256] s; parallel p by 2 : group-4 {{ {fill} n = n + 1; }}"
    assert notes(joining + "out.at(7) = n + s.at(0);") == []


def test_the_block_cannot_read_what_differs() -> None:
    body = "parallel p by 2 : group-4 { n = n + p; } out.at(7) = n;"
    found = run(TEXT.format(body=body), {"out": np.full(8, -1, np.int32)})
    assert found.error is not None and found.error.unsupported
    assert found.error.message == "'n' differs from path to path here, which is not simulated"


@pytest.mark.parametrize("seed", range(5))
def test_a_path_that_runs_late_leaves_its_own_all_the_same(seed: int) -> None:
    """The block's own flow is ahead of its paths."""
    body = """
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) { wait go; n = n + 1; }
      inthreads.async (p == 1) { trigger go; }
    }
    parallel p by 2 : group-4 { n = n + 1; }
    """
    assert out(body + SHOWN, seed=seed)[:2] == [2, 1]
