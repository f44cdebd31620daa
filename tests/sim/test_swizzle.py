"""Swizzled addresses against a bit-by-bit reading of the table of 5.6."""

from __future__ import annotations

import numpy as np
import pytest

from croqc.engines.sim.machine.swizzle import permutation, physical

MOVED_BITS = {32: 1, 64: 2, 128: 3}


def by_bits(address: int, width: int) -> int:
    """Bit 4 + i of the address becomes its exclusive-or with bit 7 + i, for the lowest bits that the width moves."""
    bits = [address >> place & 1 for place in range(20)]
    for place in range(MOVED_BITS[width]):
        bits[4 + place] ^= address >> (7 + place) & 1
    return sum(bit << place for place, bit in enumerate(bits))


@pytest.mark.parametrize("width", [32, 64, 128])
def test_addresses_follow_the_table(width: int) -> None:
    addresses = np.arange(8192)
    assert physical(addresses, width).tolist() == [by_bits(int(address), width) for address in addresses]


@pytest.mark.parametrize("width", [32, 64, 128])
def test_sixteen_byte_units_stay_whole_and_the_map_is_its_own_inverse(width: int) -> None:
    addresses = np.arange(4096)
    moved = physical(addresses, width)
    assert (moved & 15 == addresses & 15).all()
    assert (physical(moved, width) == addresses).all()


@pytest.mark.parametrize("width", [0, 32, 64, 128])
def test_equal_layouts_see_the_logical_tile(width: int) -> None:
    assert permutation(16, 256, width, width, 2).tolist() == list(range(16 * 128))


def test_a_reader_without_swizzle_sees_row_1_of_a_128_byte_tile_with_its_units_exchanged() -> None:
    """Row 1 (addresses 128 to 255) has bit 7 set, so unit u holds the logical unit u xor 1; f16: 8 a unit."""
    seen = permutation(8, 128, 128, 0, 2).reshape(8, 64)
    assert seen[0].tolist() == list(range(64))
    assert seen[1, :16].tolist() == [64 + 8 + i for i in range(8)] + [64 + i for i in range(8)]


def test_rows_wider_than_the_swizzle_lie_group_after_group() -> None:
    """Two groups of 32 bytes, 8 rows: physical byte 256 begins the second group: row 0, column 16 of f16."""
    seen = permutation(8, 64, 32, 0, 2)
    assert seen[128] == 16
