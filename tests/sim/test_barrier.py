"""mbarrier: parity, arrivals and transaction bytes against tables worked out by hand (PTX; reference, 7.4, 7.7)."""

from __future__ import annotations

import pytest

from croqc.engines.sim.machine.barrier import MBarrier, NamedBarrier, OverrunError


def test_a_fresh_barrier_blocks_parity_0_and_passes_parity_1() -> None:
    barrier = MBarrier(1)
    assert not barrier.passes(0)
    assert barrier.passes(1)


def test_two_stage_ring_follows_the_published_table() -> None:
    """Iteration, stage, parity waited for, the barrier's parity afterwards: (0,0,0,1) (1,1,0,1) (2,0,1,0) (3,1,1,0)."""
    ring = [MBarrier(1), MBarrier(1)]
    phase, seen = 0, []
    for iteration in range(4):
        stage = iteration % 2
        assert not ring[stage].passes(phase)
        ring[stage].arrive()
        assert ring[stage].passes(phase)
        seen.append((iteration, stage, phase, ring[stage].completed & 1))
        if stage == 1:
            phase ^= 1
    assert seen == [(0, 0, 0, 1), (1, 1, 0, 1), (2, 0, 1, 0), (3, 1, 1, 0)]
    assert phase == 0


def test_two_copies_of_2048_bytes_complete_the_generation_with_the_last_byte() -> None:
    barrier = MBarrier(1)
    barrier.expect(4096)
    barrier.arrive()
    assert (barrier.pending, barrier.tx, barrier.completed) == (0, 4096, 0)
    barrier.complete(2048)
    assert (barrier.tx, barrier.completed) == (2048, 0)
    barrier.complete(2048)
    assert (barrier.pending, barrier.tx, barrier.completed) == (1, 0, 1)


def test_bytes_that_land_before_the_last_arrival_do_not_complete_it() -> None:
    barrier = MBarrier(2)
    barrier.expect(64)
    barrier.arrive()
    barrier.complete(64)
    assert barrier.completed == 0
    barrier.arrive()
    assert barrier.completed == 1


def test_an_arrival_beyond_the_count_while_bytes_are_out_is_refused() -> None:
    barrier = MBarrier(1)
    barrier.expect(16)
    barrier.arrive()
    with pytest.raises(OverrunError):
        barrier.arrive()


def test_two_generations_ahead_look_like_none_to_one_parity_bit() -> None:
    barrier = MBarrier(1)
    barrier.arrive()
    assert barrier.passes(0)
    barrier.arrive()
    assert not barrier.passes(0)


def test_a_named_barrier_counts_threads() -> None:
    barrier = NamedBarrier(256)
    barrier.arrive(128)
    assert barrier.generation == 0
    barrier.arrive(128)
    assert (barrier.generation, barrier.arrived) == (1, 0)
