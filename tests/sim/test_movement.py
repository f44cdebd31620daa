"""Boxes between views: overhang, zero fill, transposition, padding, views that differ by thread (5.1, 5.2)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.machine.movement import Box, move
from croqc.engines.sim.machine.views import OutOfRangeError, View, cut, reshaped, squeezed, strided, whole


def numbered(*shape: int) -> Buffer:
    return Buffer.holding("src", np.arange(np.prod(shape), dtype=np.int32).reshape(shape))


def minus_ones(*shape: int) -> Buffer:
    return Buffer.holding("dst", np.full(shape, -1, np.int32))


def test_an_overhanging_tile_leaves_the_rest_unchanged() -> None:
    source, dest = numbered(5, 5), minus_ones(4, 4)
    move(cut(whole(source), (4, 4), (4, 4)), whole(dest), Box())
    want = np.full((4, 4), -1)
    want[0, 0] = 24
    assert dest.values().tolist() == want.tolist()


def test_zero_fill_covers_what_no_valid_element_covers() -> None:
    source, dest = numbered(5, 5), minus_ones(4, 4)
    move(cut(whole(source), (4, 4), (4, 0)), whole(dest), Box(zero_fill=True))
    want = np.zeros((4, 4), int)
    want[0] = [20, 21, 22, 23]
    assert dest.values().tolist() == want.tolist()


def test_a_tile_that_lies_outside_copies_nothing() -> None:
    source, dest = numbered(4, 4), minus_ones(2, 2)
    move(cut(whole(source), (2, 2), (4, 0)), whole(dest), Box())
    assert (dest.values() == -1).all()


def test_writes_outside_the_destination_are_dropped() -> None:
    source, dest = numbered(4, 4), minus_ones(5, 5)
    move(whole(source), cut(whole(dest), (4, 4), (3, 3)), Box())
    want = np.full((5, 5), -1)
    want[3:, 3:] = [[0, 1], [4, 5]]
    assert dest.values().tolist() == want.tolist()


def test_a_short_source_fills_the_first_rows() -> None:
    source, dest = numbered(2, 3), minus_ones(4, 3)
    move(whole(source), whole(dest), Box())
    assert dest.values().tolist() == [[0, 1, 2], [3, 4, 5], [-1, -1, -1], [-1, -1, -1]]


def test_transposition_takes_dimension_d_i_of_the_source() -> None:
    source, dest = numbered(2, 3, 4), minus_ones(4, 2, 3)
    move(whole(source), whole(dest), Box(order=(2, 0, 1)))
    assert (dest.values() == source.values().transpose(2, 0, 1)).all()


def test_padding_puts_the_source_at_low() -> None:
    source, dest = numbered(2, 2), minus_ones(4, 5)
    move(whole(source), whole(dest), Box(low=(1, 2), pad=9))
    assert dest.values().tolist() == [[9] * 5, [9, 9, 0, 1, 9], [9, 9, 2, 3, 9], [9] * 5]


def test_each_thread_copies_its_own_row() -> None:
    source, threads = numbered(4, 3), np.arange(4)
    dest = Buffer("own", np.dtype(np.int32), (3,), (), threads)
    rows = squeezed(cut(whole(source), (1, 3), (threads, 0)))
    move(rows, whole(dest, 0, threads), Box())
    assert dest.flat.reshape(4, 3).tolist() == source.values().tolist()


def test_threads_off_the_mask_copy_nothing() -> None:
    source, threads = numbered(2, 2), np.arange(2)
    dest = Buffer("own", np.dtype(np.int32), (2,), (), threads)
    rows = squeezed(cut(whole(source), (1, 2), (threads, 0)))
    move(rows, whole(dest, 0, threads), Box(), np.array([False, True]))
    assert dest.flat.tolist() == [0, 0, 2, 3]


def test_validity_is_kept_by_views_of_views() -> None:
    tile = cut(whole(numbered(10)), (8,), (8,))
    assert tile.valid == (2,)
    assert cut(tile, (4,), (1,)).valid == (1,)
    assert cut(tile, (4,), (4,)).valid == (0,)


def test_strides_of_its_own_may_overlap_but_not_leave_the_buffer() -> None:
    source = numbered(6)
    assert strided(whole(source), (2,), (1,), (2,)).window().tolist() == [2, 4]
    with pytest.raises(OutOfRangeError):
        strided(whole(source), (3,), (1,), (2,)).window()


def test_span_as_needs_a_dense_view_of_the_same_size() -> None:
    source = numbered(4, 6)
    assert reshaped(whole(source), (3, 8)).window().tolist() == source.values().reshape(3, 8).tolist()
    for view, shape in ((whole(source), (5, 5)), (cut(whole(source), (4, 3), (0, 0)), (12,))):
        with pytest.raises(OutOfRangeError):
            reshaped(view, shape)


def test_span_as_of_rows_that_end_has_the_rows_that_exist() -> None:
    """3 of 4 rows of 6 elements: 6 of 8 rows of 3, 18 of 24 in one row; no rows of 8."""
    ends = cut(whole(numbered(11, 6)), (4, 6), (8, 0))
    assert reshaped(ends, (8, 3)).valid == (6, 3)
    assert reshaped(ends, (24,)).valid == (18,)
    with pytest.raises(OutOfRangeError):
        reshaped(ends, (3, 8))
    with pytest.raises(OutOfRangeError):
        reshaped(cut(whole(numbered(11, 6)), (4, 6), (0, 1)), (24,))


def test_span_as_of_a_part_of_each_thread() -> None:
    """Rows 0, 1 and 4 of 4: the last does not exist, so its thread must be off the mask, or have nothing."""
    rows = cut(whole(numbered(4, 6)), (1, 6), (np.array([0, 1, 4]), 0))
    mask = np.array([True, True, False])
    assert reshaped(rows, (2, 3), mask).valid == (2, 3)
    with pytest.raises(OutOfRangeError):
        reshaped(rows, (2, 2), mask)
    (valid, _) = reshaped(rows, (2, 3)).valid
    assert valid.tolist() == [2, 2, 0]


def element(view: View, *indices: int | NDArray[np.int64]) -> object:
    return view.element(indices, None)


def test_elements_are_checked_in_each_dimension() -> None:
    view = whole(numbered(4, 4))
    assert element(view, 1, 2) == 6
    for indices in ((0, 4), (-1, 0), (np.array([0, 4]), 0)):
        with pytest.raises(OutOfRangeError):
            element(view, *indices)


def test_the_message_names_index_dimension_and_extent() -> None:
    with pytest.raises(OutOfRangeError, match=r"index 7 of 'src' is out of range in dimension 1: 4 elements"):
        element(whole(numbered(4, 4)), 0, np.array([1, 7]))
