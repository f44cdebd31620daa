"""`record` against what a frozen, slotted dataclass does."""

from __future__ import annotations

import copy
import inspect
import pickle
import weakref
from dataclasses import dataclass
from functools import cached_property

import pytest

from croqc.text.record import record, replace


@record(order=True)
class Point:
    """Two numbers."""

    x: int
    y: int = 7

    @property
    def sum(self) -> int:
        return self.x + self.y


@dataclass(frozen=True, slots=True, order=True)
class Standard:
    x: int
    y: int = 7


@record(eq=False)
class Base:
    at: int


@record(eq=False)
class Derived(Base):
    name: str
    more: tuple[int, ...] = ()


@record
class Empty:
    pass


def test_fields_come_from_the_base_first() -> None:
    made = Derived(3, "n")
    assert (made.at, made.name, made.more) == (3, "n", ())
    assert Derived.__match_args__ == ("at", "name", "more")
    assert isinstance(made, Base)
    assert Derived(more=(1,), name="m", at=4).more == (1,)


def test_it_is_immutable_and_has_no_other_attributes() -> None:
    point = Point(1)
    for name in ("x", "other"):
        with pytest.raises(AttributeError):
            setattr(point, name, 5)
    with pytest.raises(AttributeError):
        del point.x
    assert point.x == 1
    assert not hasattr(point, "__dict__")


@pytest.mark.parametrize("args", [(), (1, 2, 3)])
def test_wrong_numbers_of_arguments(args: tuple[int, ...]) -> None:
    with pytest.raises(TypeError, match=r"Point\.__init__"):
        Point(*args)


def test_unknown_arguments() -> None:
    with pytest.raises(TypeError, match="z"):
        Point(1, z=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="z"):
        replace(Point(1), z=2)


@pytest.mark.parametrize("a", [(1, 2), (1, 3), (2, 0)])
@pytest.mark.parametrize("b", [(1, 2), (1, 3), (2, 0)])
def test_comparisons_are_those_of_a_dataclass(a: tuple[int, int], b: tuple[int, int]) -> None:
    ours, theirs = (Point(*a), Point(*b)), (Standard(*a), Standard(*b))
    assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
    assert (ours[0] < ours[1]) == (theirs[0] < theirs[1])
    assert (ours[0] <= ours[1]) == (theirs[0] <= theirs[1])
    assert (ours[0] > ours[1]) == (theirs[0] > theirs[1])
    assert (ours[0] >= ours[1]) == (theirs[0] >= theirs[1])
    assert (hash(ours[0]) == hash(ours[1])) == (a == b)


def test_other_classes_are_not_equal() -> None:
    others: list[object] = [(1, 2), Standard(1, 2)]
    assert Point(1, 2) not in others
    assert Empty() == Empty()
    with pytest.raises(TypeError):
        sorted([Base(1), Base(0)])  # type: ignore[type-var]


def test_only_what_says_so_can_be_referred_to_weakly() -> None:
    @record(eq=False, weak=True)
    class Watched:
        at: int

    watched = Watched(3)
    assert weakref.ref(watched)() is watched
    with pytest.raises(TypeError):
        weakref.ref(Base(3))


def test_a_cached_property_is_worked_out_once() -> None:
    calls = []

    @record
    class Square:
        side: int

        @cached_property
        def area(self) -> int:
            calls.append(self.side)
            return self.side**2

    square = Square(3)
    assert (square.area, square.area, calls) == (9, 9, [3])
    with pytest.raises(AttributeError):
        square.side = 4  # type: ignore[misc]


def test_identity() -> None:
    one, other = Derived(1, "a"), Derived(1, "a")
    assert one != other
    assert {one: 1, other: 2}[one] == 1


def test_it_reads_and_travels_like_a_dataclass() -> None:
    point = Point(1, 2)
    assert repr(point) == repr(Standard(1, 2)).replace("Standard", "Point")
    assert copy.deepcopy(point) == copy.copy(point) == pickle.loads(pickle.dumps(point)) == point
    assert replace(point, y=5) == Point(1, 5)
    assert point.sum == 3
    assert str(inspect.signature(Point)) == "(x, y=7)"
    match point:
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_a_default_before_a_field_without_one() -> None:
    with pytest.raises(TypeError, match="default"):

        @record
        class Wrong:
            a: int = 1
            b: int  # type: ignore[misc]


def test_methods_that_a_class_writes_itself_stay() -> None:
    @record
    class Loud:
        text: str

        def __repr__(self) -> str:
            return self.text.upper()

    assert repr(Loud("a")) == "A"
