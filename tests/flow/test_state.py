"""The state of a path: what it keeps of its environment, and clocks. Worked out by hand."""

from __future__ import annotations

from croqc.flow.exprs import const
from croqc.flow.program import Loop, Op
from croqc.flow.state import PathState, merge
from croqc.text.span import NOWHERE


def path() -> PathState:
    return PathState(1, None, "path", [10, 20, 30], 3)


def test_what_was_kept_of_an_environment_stays_as_it_was() -> None:
    one = path()
    first = one.keep()
    assert one.keep() is first  # nothing was assigned between
    one.assign(0, 11)
    second = one.keep()
    one.assign(0, 12)
    one.assign(2, 33)
    assert (first, second, one.env) == ([10, 20, 30], [11, 20, 30], [12, 20, 33])


def test_an_iteration_follows_the_loops_around_a_step() -> None:
    outer = Loop("i", 0, 1, const(0), const(9), const(1), NOWHERE, ())
    inner = Loop("k", 2, 1, const(0), const(9), const(1), NOWHERE, (outer,))
    one, deep, shallow = path(), Op(NOWHERE, (outer, inner)), Op(NOWHERE, (outer,))
    assert one.iteration(deep) == [10, 30]
    assert one.iteration(shallow) == [10]
    one.assign(2, 31)
    assert one.iteration(deep) == [10, 31]
    one.assign(0, 11)
    one.assign(2, 0)
    assert one.iteration(deep) == [11, 0]
    assert one.iteration(shallow) == [11]


def test_a_path_begins_in_its_first_epoch() -> None:
    assert path().clock == [0, 1, 0]


def test_merging_clocks_takes_the_later_epoch_of_each_path() -> None:
    clock = [1, 5, 0, 7]
    merge(clock, [2, 4, 0, 9])
    assert clock == [2, 5, 0, 9]
