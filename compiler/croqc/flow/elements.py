"""Which elements of a buffer a part has, wherever threads and turns move it, one by one. Must not know runs.

A set of elements is a number: its bit n stands for element n, in row-major order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod
from operator import mul, or_

from croqc.flow.exprs import Env, Expr, UndecidedError, apply, closure, const
from croqc.flow.regions import Extent, Interval

Elements = int
Box = tuple[Interval, ...]
"""Half-open ranges along the dimensions of a buffer."""

_MOST_PLACES = 1 << 16  # that are looked at one by one
_MANY = 32  # places from which on they are not gone through one by one
_ALL = -1  # instead of a variable: all indices of threads


@dataclass(frozen=True, slots=True)
class Moving:
    """Variables that stand for several values at once. `threads`: indices, with one value a thread; `freely`: those
    that take each of some values whatever the others do. `who`: equal for the same threads."""

    threads: Mapping[int, Sequence[int]]
    freely: Mapping[int, range]
    who: object

    def follows(self, var: int, env: Env) -> bool:
        return isinstance(env[var], int) or var in self.threads or var in self.freely


@dataclass(frozen=True, slots=True)
class _Axis:
    low: Expr
    length: int
    size: int
    stride: int


def strides(shape: Sequence[int]) -> list[int]:
    """How many elements lie between neighbours along each dimension."""
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]


def block(lengths: Sequence[int], shape: Sequence[int]) -> Elements:
    """The box of so many elements along each dimension at the begin of a buffer."""
    found = 1
    for length, stride in zip(reversed(lengths), reversed(strides(shape)), strict=True):
        found = _repeated(found, stride, length)
    return found


def box_elements(box: Box, shape: Sequence[int]) -> Elements:
    first = sum(low * stride for (low, _), stride in zip(box, strides(shape), strict=True))
    return block([max(behind - low, 0) for low, behind in box], shape) << first


def touched(
    part: Sequence[Extent], shape: Sequence[int], base: Expr | None, env: Env, moving: Moving
) -> tuple[Elements, bool]:
    """The elements of a part of a buffer of that shape, from element `base` on, and whether each of them is surely
    touched; else they are at least those that are."""
    sure, axes = True, []
    for extent, size, stride in zip(part, shape, strides(shape), strict=True):
        length = None if extent.length is None else _value(extent.length, env)
        if extent.low is None or length is None or not _is_followed(extent.low, env, moving):
            sure = False
            axes.append(_Axis(const(0), size, size, stride))
        else:
            axes.append(_Axis(extent.low, min(length, size), size, stride))
    if base is not None and not _is_followed(base, env, moving):
        return 0, False
    found = _placed(axes, shape, const(0) if base is None else base, env, moving)
    if found is None:
        everything = block(shape, shape)
        return everything if base is None else 0, False
    return found, sure


def boxes_in(elements: Elements, shape: Sequence[int]) -> Iterator[Box]:
    """The same elements in boxes, by their first elements."""
    while elements:
        box = _grown((elements & -elements).bit_length() - 1, elements, shape)
        elements &= ~box_elements(box, shape)
        yield box


def _grown(first: int, elements: Elements, shape: Sequence[int]) -> Box:
    """A box from an element on, as long as can be along the last dimension, then along those before it."""
    box: list[Interval] = []
    for stride, size in zip(strides(shape), shape, strict=True):
        place = first // stride % size
        box.append((place, place + 1))
    for axis in reversed(range(len(shape))):
        slab = box_elements(tuple(box), shape)
        stride, (low, behind) = strides(shape)[axis], box[axis]
        while behind < shape[axis] and slab << (behind - low) * stride & ~elements == 0:
            behind += 1
        box[axis] = (low, behind)
    return tuple(box)


def _is_followed(expr: Expr, env: Env, moving: Moving) -> bool:
    return expr.known and all(moving.follows(var, env) for var in expr.variables())


def _value(expr: Expr, env: Env) -> int | None:
    """The one value of an expression."""
    if not all(isinstance(env[var], int) for var in expr.variables()):
        return None
    try:
        return int(closure(expr)(env))
    except UndecidedError:
        return None


# --- places ------------------------------------------------------------------------------------------


_Term = tuple[int, Expr]
_Place = tuple[int, ...]
"""Along each dimension, and from where on."""


@dataclass(frozen=True, slots=True)
class _Line:
    """The places that one variable leads to: `step` for each of its values."""

    step: _Place
    values: range

    def __iter__(self) -> Iterator[_Place]:
        return (tuple(value * side for side in self.step) for value in self.values)

    def ends(self, axis: int) -> Interval:
        sides = self.values[0] * self.step[axis], self.values[-1] * self.step[axis]
        return min(sides), max(sides)


_Group = _Line | frozenset[_Place]


def _placed(axes: Sequence[_Axis], shape: Sequence[int], base: Expr, env: Env, moving: Moving) -> Elements | None:
    """The elements at all places, without what lies outside; None where there are too many places."""
    lows = [*(axis.low for axis in axes), base]
    apart = [each for number, low in enumerate(lows) for each in ((number, term) for term in _terms(low))]
    groups: list[_Group] = []
    for terms in _groups(apart, env, moving):
        group = _line(terms, len(lows), env, moving) or _places(terms, len(lows), env, moving)
        if not group:
            return None if group is None else 0
        groups.append(group)
    if not _is_inside(axes, groups):
        inside = _inside(axes, groups) if len(axes) == 1 else None
        if inside is None:
            together = _places([(number, low) for number, low in enumerate(lows)], len(lows), env, moving)
            inside = None if together is None else [frozenset(each for each in together if _fits(axes, each))]
        if inside is None:
            return None
        groups = inside
    found, first = block([axis.length for axis in axes], shape), 0
    for group in groups:
        found, begin = _spread(found, group, [*(axis.stride for axis in axes), 1])
        first += begin
    return found << first if first >= 0 else found >> -first


def _terms(expr: Expr) -> Iterator[Expr]:
    if expr.op == "+":
        for arg in expr.args:
            yield from _terms(arg)
    elif expr.op == "-" and len(expr.args) == 2:
        yield from _terms(expr.args[0])
        yield from (apply("*", const(-1), term) for term in _terms(expr.args[1]))
    else:
        yield expr


def _groups(terms: Iterable[_Term], env: Env, moving: Moving) -> list[list[_Term]]:
    """Terms that move with the same variables belong together, and indices of threads that do not move freely."""
    groups: list[tuple[set[int], list[_Term]]] = []
    for number, term in terms:
        free = (var for var in term.variables() if not isinstance(env[var], int))
        used = {var if var in moving.freely else _ALL for var in free}
        meeting = [group for group in groups if not used.isdisjoint(group[0]) or not (used or group[0])]
        merged = (used.union(*(group[0] for group in meeting)), [each for group in meeting for each in group[1]])
        merged[1].append((number, term))
        groups = [group for group in groups if group not in meeting] + [merged]
    return [group for _, group in groups]


def _line(terms: Sequence[_Term], width: int, env: Env, moving: Moving) -> _Line | None:
    """The same as a line, where each term is a multiple of one variable."""
    step, used = [0] * width, set[int]()
    for number, term in terms:
        factor, expr = 1, term
        while expr.op == "*" and (sides := [arg for arg in expr.args if arg.const is not None]):
            factor *= sides[0].value
            expr = expr.args[expr.args[0] is sides[0]]
        if expr.op != "v" or expr.value not in moving.freely or isinstance(env[expr.value], int):
            return None
        step[number] += factor
        used.add(expr.value)
    values = moving.freely[used.pop()] if len(used) == 1 else range(0)
    return _Line(tuple(step), values) if values else None


def _places(terms: Sequence[_Term], width: int, env: Env, moving: Moving) -> frozenset[_Place] | None:
    """What the terms come to at once."""
    used = sorted({var for _, term in terms for var in term.variables() if not isinstance(env[var], int)})
    threads = [var for var in used if var in moving.threads]
    loops = [var for var in used if var not in moving.threads]
    together = set(zip(*(moving.threads[var] for var in threads), strict=True)) if threads else {()}
    if len(together) * prod(len(moving.freely[var]) for var in loops) > _MOST_PLACES:
        return None
    here, codes = env[:], [(number, closure(term)) for number, term in terms]
    found: set[_Place] = set()
    for values in product(together, *(moving.freely[var] for var in loops)):
        for var, value in zip((*threads, *loops), (*values[0], *values[1:]), strict=True):
            here[var] = value
        place = [0] * width
        try:
            for number, code in codes:
                place[number] += code(here)
        except UndecidedError:
            return None
        found.add(tuple(place))
    return frozenset(found)


def _is_inside(axes: Sequence[_Axis], groups: Sequence[_Group]) -> bool:
    """Whether no place that the groups make up lies outside."""
    for number, axis in enumerate(axes):
        ends = [_ends(group, number) for group in groups]
        if sum(low for low, _ in ends) < 0 or sum(high for _, high in ends) + axis.length > axis.size:
            return False
    return True


def _ends(group: _Group, axis: int) -> Interval:
    if isinstance(group, _Line):
        return group.ends(axis)
    sides = [place[axis] for place in group]
    return min(sides), max(sides)


def _inside(axes: Sequence[_Axis], groups: Sequence[_Group]) -> list[_Group] | None:
    """Of one line along one dimension what lies inside; None for others."""
    lines = [group for group in groups if isinstance(group, _Line)]
    fixed = [place for group in groups if not isinstance(group, _Line) for place in group]
    if len(lines) != 1 or len(fixed) != len(groups) - 1 or lines[0].step[-1] or not lines[0].step[0]:
        return None
    step, values = lines[0].step[0], lines[0].values
    ascending = values if step * values.step > 0 else values[::-1]
    first, by = sum(place[0] for place in fixed) + step * ascending[0], step * ascending.step
    below, room = max(-(first // by), 0), axes[0].size - axes[0].length - first
    fits = ascending[below : max(room // by + 1, below)]
    line: _Group = _Line(lines[0].step, fits) if fits else frozenset()
    return [line, *(group for group in groups if not isinstance(group, _Line))]


def _fits(axes: Sequence[_Axis], place: _Place) -> bool:
    return all(0 <= low <= axis.size - axis.length for axis, low in zip(axes, place, strict=False))


def _spread(elements: Elements, group: _Group, strides: Sequence[int]) -> tuple[Elements, int]:
    """The elements at each of the places, counted from the first one on, and where that is."""
    if isinstance(group, _Line):
        step = sum(map(mul, group.step, strides))
        first = min(step * group.values[0], step * group.values[-1])
        return _repeated(elements, abs(step * group.values.step), len(group.values)), first
    offsets = sorted({sum(map(mul, place, strides)) for place in group})
    first = offsets[0] if offsets else 0
    if elements != 1 or len(offsets) < _MANY:
        return reduce(or_, (elements << offset - first for offset in offsets), 0), first
    digits = bytearray(b"0") * (offsets[-1] - first + 1)
    for offset in offsets:
        digits[offsets[-1] - offset] = ord("1")
    return int(digits, 2), first


def _repeated(elements: Elements, step: int, count: int) -> Elements:
    """The elements so many times, a step apart."""
    if count < 1:
        return 0
    done = 1
    while done < count:
        more = min(done, count - done)
        elements |= elements << step * more
        done += more
    return elements
