"""Drawn kernels are right by construction: each is checked clean, and verified in the emulator under all orders."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.emulator.drawn import FAMILIES, Drawn, drawn_of
from tests.emulator.fuzz import CHUNK, judged, run_chunk, table

pytestmark = pytest.mark.slow
SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("family", FAMILIES)
def test_drawn_kernels_are_verified(family: str) -> None:
    @settings(max_examples=40)
    @given(SEEDS)
    def check(seed: int) -> None:
        drawn = drawn_of(family, seed)
        assert judged(drawn) == "", drawn.text

    check()


def test_a_kernel_that_is_wrong_is_told() -> None:
    drawn = drawn_of("copy", 1)
    broken = Drawn(drawn.family, drawn.text.replace("expect y == x", "expect y == x + 1"), drawn.arch)
    assert judged(broken).startswith("drawn: wrong")
    senseless = Drawn(drawn.family, drawn.text.replace("shared", "sharde"), drawn.arch)
    assert judged(senseless).startswith("the check: ")


def test_a_chunk_counts_its_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.emulator.fuzz.judged", lambda drawn: "wrong" if drawn.family == "copy" else "")
    chunk, counts, found = run_chunk(3)
    assert chunk == 3 and sum(counts.values()) == CHUNK
    assert len(found) == counts["copy wrong"] > 0
    assert all(3 * CHUNK <= seed < 4 * CHUNK for seed, _, _ in found)
    assert f"| copy | {counts['copy wrong']} | {counts['copy wrong']} |" in table(counts)


def test_a_seed_always_means_the_same_kernel() -> None:
    assert [drawn_of(family, 5) for family in FAMILIES] == [drawn_of(family, 5) for family in FAMILIES]
