"""Inner `parallel`s that divide a block in unlike ways: each statement runs once for the unit of its own level."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.kernels import ran, run

TEXT = """__co__ void f(global s32 [256] src, global s32 [256] out) {{
  parallel b by 1 : block {{
    shared s32 [256] s {{0}};
    shared event e;
    mutable int n = 0;
    {body}
    sync.shared;
    parallel z by 256 : thread {{ out.at(z) = s.at(z); }}
  }}
}}
"""
SRC = np.arange(256, dtype=np.int32) + 5
GROUPS = "parallel u by 8 : group { inthreads (u == 5) { s.at(1) += 10; } }"


def out(body: str, seed: int = 0) -> list[int]:
    arrays = {"src": SRC.copy(), "out": np.zeros(256, np.int32)}
    return ran(TEXT.format(body=body), arrays, seed=seed).outputs["out"].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_what_one_warpgroup_does_it_does_once(seed: int) -> None:
    stores = "parallel w by 2 : group-4 { inthreads (w == 1) { s.at(0) += 3; __atomic_add(s.at(1), 2); } }"
    assert out(stores + GROUPS, seed)[:3] == [3, 12, 0]
    assert out(GROUPS + stores, seed)[:3] == [3, 12, 0]
    assert out(f"foreach i in 3 {{ {stores} {GROUPS} }}", seed)[:3] == [9, 36, 0]


def test_it_prints_once() -> None:
    body = 'parallel w by 2 : group-4 { println("w", w); }' + GROUPS
    arrays = {"src": SRC.copy(), "out": np.zeros(256, np.int32)}
    assert sorted(ran(TEXT.format(body=body), arrays).prints) == ["w{0}\n", "w{1}\n"]


@pytest.mark.parametrize("seed", range(6))
def test_the_copy_of_a_warpgroup_is_over_before_a_warp_of_it_goes_on(seed: int) -> None:
    """One that each warp made by itself would come behind what another has added."""
    body = """parallel w by 2 : group-4 { inthreads.async (w == 1) { dma.copy src => s; } }
    parallel u by 8 : group { inthreads.async (u >= 4) { parallel t by 32 : thread { s.at(u * 32 + t) += 1; } } }
    parallel r by 2 : group-4 { inthreads.async (r == 1) { parallel t by 128 : thread { s.at(128 + t) *= 2; } } }"""
    assert out(body, seed) == [*range(5, 133), *(2 * (value + 1) for value in range(133, 261))]


@pytest.mark.parametrize("seed", range(4))
def test_threads_without_a_role_run_what_stands_beside_roles(seed: int) -> None:
    body = """parallel r by 256 : thread { inthreads.async (r == 0) { s.at(0) = 7; trigger e; }
      inthreads.async (r == 1) { wait e; s.at(1) = s.at(0) + 1; } }
    sync.shared;
    parallel t by 256 : thread { s.at(t) += 2; }"""
    assert out(body, seed)[:4] == [9, 10, 2, 2]


def test_a_barrier_of_the_block_is_for_the_paths_that_come_there() -> None:
    body = "parallel w by 2 : group-4 { s.at(w) = w + 1; sync.shared; s.at(2 + w) = s.at(1 - w); }"
    body += GROUPS.replace("s.at(1)", "s.at(9)")
    assert [out(body, seed)[2:4] for seed in range(6)] == [[2, 1]] * 6


REFUSED = {
    "parallel w by 2 : group-4 { n += 1; } parallel u by 8 : group {}": "'n' is not followed into others",
    "parallel w by 2 : group-4 { yield; } parallel u by 8 : group {}": "'yield' is not followed",
    "parallel w by 2 : group-4 { inthreads.async (w == 0) { trigger e; } } "
    "parallel u by 8 : group { inthreads.async (u == 1) { trigger e; } }": "path w == 0 and path u == 1 share threads",
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_not_followed_is_not_simulated(body: str) -> None:
    result = run(TEXT.format(body=body), {"src": SRC.copy(), "out": np.zeros(256, np.int32)})
    assert result.error is not None
    assert result.error.unsupported
    assert result.error.message.startswith(REFUSED[body])
