"""Parts of a slot that are read though nothing ever writes them (credit-flow, section 4). Must not word findings.

Only slots that some statement writes in part are looked at. What is written is taken as larger rather than smaller:
bounds stand for what lies between them, and a part that moves in ways not understood counts as the whole slot. Of a
part that cannot be said at all (`unsaid`), as of threads with others between them, nothing is claimed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod
from operator import or_

from croqc.flow.exprs import DATA, VARIES, Env, Expr, UndecidedError, closure, const
from croqc.flow.laid import Box, boxes_of, joined, runs
from croqc.flow.machine import Machine
from croqc.flow.ops_data import Copy, Touch
from croqc.flow.program import Op, Program, Stage
from croqc.flow.regions import Extent, Interval, Laid, Operand, each_of, span
from croqc.flow.signature import Signature
from croqc.flow.state import Access
from croqc.sema.masks import Mask
from croqc.sema.types import Data

Boxes = tuple[Box, ...]
_MOST_PARTS = 64
_MOST_RUNS = 1024  # stretches of elements that a part of another shape may lie in
_MORE = (255, 127, 63, 31, 15, 7, 3, 1)
_SIZES = (1 << 14, 3 << 10, 1 << 10, 256, 64, 48, 16, 8, 1)  # for what the instance leaves open, to see if any will do


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """`access` reads `box` of its slot, which none of `writes` covers. `shape`: of the slot.

    `certain`: it goes out to global memory, inside the tensor, with `sizes` that the program allows (by variable); else
    it may be that nobody looks at it.
    """

    access: Access
    box: Box
    shape: tuple[int, ...]
    certain: bool
    writes: tuple[tuple[Access, Boxes], ...]
    sizes: Mapping[int, int]


def slots_in_part(program: Program) -> frozenset[int]:
    """The slots of buffers that are written, and not always as a whole."""
    stages: dict[int, Stage] = {}
    for op in program.ops:
        for operand in _writes(op):
            stage = operand.stage
            if stage is not None and not stage.written and not operand.whole and _shape(stage):
                stages[stage.first] = stage
    return frozenset(slot for each in stages.values() for slot in range(each.first, each.first + each.slots))


def _writes(op: Op) -> tuple[Operand, ...]:
    if isinstance(op, Touch):
        return each_of(op.writes)
    if isinstance(op, Copy):
        return () if op.dest.operand is None else tuple(op.dest.operand.each())
    return ()


def _shape(stage: Stage) -> tuple[int, ...]:
    """The extents of one slot; empty where they are not constant."""
    data = stage.symbol.type
    assert isinstance(data, Data)
    extents = [extent.const for extent in data.shape]
    if stage.rows is not None:
        extents[:1] = [stage.rows]
    known = tuple(extent for extent in extents if extent is not None)
    return known if len(known) == len(extents) else ()


class Coverage:
    """What a run that has come to its end wrote and read of the slots that are written in part."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.writes: dict[int, dict[Boxes | None, Access]] = {}
        self.reads: list[Access] = []
        self._joined: dict[int, list[Box]] = {}
        self.lost: dict[int, Access] = {}  # of which nothing says where they lie, where nothing else counts as all
        parted: defaultdict[tuple[object, ...], list[Access]] = defaultdict(list)
        for access in machine.accesses.parts.values():
            if not access.write:
                self.reads.append(access)
            elif access.op.only is None or access.operand.whole:
                self._add(access, self._written(access, None), _is_unsaid(access))
            else:
                where = (form for each in access.operand.extents() for form in (_form(each.low), _form(each.length)))
                parted[access.path, access.slot, *where, *access.env].append(access)
        for alike in parted.values():
            self._add_parted(alike)
        self.lost = {slot: access for slot, access in self.lost.items() if None not in self.writes.get(slot, ())}

    def _add(self, access: Access, boxes: Boxes | None, lost: bool) -> None:
        """`boxes`: None stands for the whole slot; `lost`: nothing says which part is written."""
        if lost:
            self.lost.setdefault(access.slot, access)
        else:
            self.writes.setdefault(access.slot, {}).setdefault(boxes, access)

    def _add_parted(self, alike: Sequence[Access]) -> None:
        """Writes of one part by some threads each, as the two sides of an `if` over threads are."""
        only, first = reduce(or_, (access.op.only or 0 for access in alike)), alike[0]
        lows = [each.low for each in first.operand.extents() if each.low is not None]
        variables = frozenset[int]().union(*(low.variables() for low in lows))
        is_box = self.machine.accesses.is_box
        if is_box(first.path, only, variables):
            self._add(first, self._written(first, only), _is_unsaid(first))
            return
        for access in alike:
            box = is_box(access.path, access.op.only, variables)
            self._add(access, self._written(access, access.op.only) if box else None, not box or _is_unsaid(access))

    def _written(self, access: Access, only: Mask | None) -> Boxes | None:
        op = access.op
        if access.operand.whole or (isinstance(op, Copy) and not op.even):
            return None
        lengths = (extent.length for extent in access.operand.part)
        if any(length is None or length.const is None for length in lengths):
            return None  # it may be longer another time
        found = self._boxes(access, only)
        return None if found is None else found[0]

    def _boxes(self, access: Access, only: Mask | None) -> tuple[Boxes, bool] | None:
        """The bounds of the part in some threads, and whether every element between is touched; None where it is not
        understood."""
        operand, stage = access.operand, access.operand.stage
        if stage is None:
            return None
        shape = _shape(stage)
        if operand.whole:
            return (tuple((0, size) for size in shape),), operand.exact(access.env)
        if operand.laid is not None:
            return self._laid(access, operand.laid, stage, only)
        if len(operand.part) != len(shape):
            return None
        over, box, sure = self._over(access, only), [], operand.exact(access.env)
        for axis, (extent, size) in enumerate(zip(operand.part, shape, strict=True)):
            found = span(extent, access.env, over) if self._is_followed(extent, stage, axis) else None
            if found is None:
                return None
            shift = (access.slot - stage.first) * size if stage.rows is not None and axis == 0 else 0
            box.append((max(found[0] - shift, 0), min(found[1] - shift, size)))
            sure = sure and found[2]
        return (tuple(box),), sure

    def _laid(self, access: Access, laid: Laid, stage: Stage, only: Mask | None) -> tuple[Boxes, bool] | None:
        """As `_boxes`, of a part that lies in stretches of elements."""
        over, shape, moved = self._over(access, only), _shape(stage), self.machine.leapt
        extents = (Extent(laid.base, const(1)), *laid.part)
        if moved and any(each.low is None or not each.low.variables() <= self._fixed() for each in extents):
            return None
        spans = [span(each, access.env, over) for each in extents]
        known = [each for each in spans if each is not None]
        base, *axes = [(low, behind) for low, behind, _ in known]
        if len(known) < len(spans):
            return None
        box = tuple((max(low, 0), min(behind, size)) for (low, behind), size in zip(axes, laid.shape, strict=True))
        if prod(max(behind - low, 0) for low, behind in box[:-1]) > _MOST_RUNS:
            return None
        size, shift = prod(shape), 0 if stage.rows is None else (access.slot - stage.first) * prod(shape)
        found: list[Box] = []
        for low, behind in runs(box, laid.shape):
            first, last = low + base[0] - shift, behind + base[1] - 1 - shift
            found += boxes_of(max(first, 0), min(last, size), shape)
        return tuple(found), all(sure for _, _, sure in known) and access.operand.exact(access.env)

    def _is_followed(self, extent: Extent, stage: Stage, axis: int) -> bool:
        """Where rounds of a long loop are left out, what moves is not seen at every place; slots still are."""
        if not self.machine.leapt or extent.low is None or (stage.rows is not None and axis == 0):
            return True
        return extent.low.variables() <= self._fixed()

    def _fixed(self) -> set[int]:
        program = self.machine.program
        return {size.var for size in program.sizes} | set(program.placed.values())

    def _over(self, access: Access, only: Mask | None) -> dict[int, Interval]:
        """As of `Accesses`, without loops whose bounds move."""
        fixed, over = self._fixed(), dict(self.machine.accesses.over(access.path, only))
        for loop in self.machine.program.drawn:
            if not loop.low.variables() | loop.high.variables() <= fixed:
                over.pop(loop.var, None)
        return over

    # --- what is left -----------------------------------------------------------------------------

    def gaps(self) -> Iterator[Gap]:
        """Reads of what nothing writes, in the order of the run; slots that nothing writes are another matter."""
        for access, (read, sure), part in self.unwritten():
            stage = access.operand.stage
            assert stage is not None
            known, env = self._goes_out(access, read, part)
            if env is not None or not known:
                boxes = ((each, own) for own, each in self.writes[access.slot].items() if own)
                sizes = {} if env is None else {size: env[size] for size in self.machine.sizes}
                yield Gap(access, part, _shape(stage), env is not None and sure, tuple(boxes), sizes)

    def unwritten(self) -> Iterator[tuple[Access, tuple[Boxes, bool], Box]]:
        """As `gaps`, also what lies beyond a tensor: the read, its boxes with whether all of them is read, and the
        part."""
        return (each for each in self._rest() if each[0].slot not in self.lost)

    def _rest(self) -> Iterator[tuple[Access, tuple[Boxes, bool], Box]]:
        """As `unwritten`, as if nothing but what is known were written."""
        for access in self.reads:
            written = self.writes.get(access.slot)
            if not written or None in written or access.op.maybe or self._covered(access.slot) is None:
                continue
            found = self._boxes(access, access.op.only)
            if found is None or (isinstance(access.op, Copy) and not access.op.even):
                continue
            for part in sorted(part for box in found[0] for part in _left(box, self._covered(access.slot) or ())):
                yield access, found, part

    def unsaid(self) -> Access | None:
        """A part that nothing says where it lies, of a slot that is not written as a whole otherwise: a read of one,
        or a write without which something would be missing."""
        for access in self.reads:
            if _is_unsaid(access) and None not in self.writes.get(access.slot, {None: access}):
                return access
            written = self.writes.get(access.slot, {})
            if written and None not in written and self._covered(access.slot) is None:
                return next(iter(written.values()))
        missing = {read.slot for read, _, _ in self._rest()} if self.lost else set()
        for slot, access in self.lost.items():
            reads = any(read.slot == slot for read in self.reads)
            if reads and (slot in missing or slot not in self.writes or self._covered(slot) is None):
                return access
        return None

    def _covered(self, slot: int) -> list[Box] | None:
        """What is written of a slot where that is known, in few boxes; None where it lies in too many."""
        if slot not in self._joined:
            self._joined[slot] = joined({box for each in self.writes[slot] if each is not None for box in each})
        found = self._joined[slot]
        return found if len(found) <= _MOST_PARTS else None

    def _goes_out(self, access: Access, read: Boxes, part: Box) -> tuple[bool, Env | None]:
        """Whether it is known where a part is copied to, and sizes with which some of it lies inside a tensor."""
        outlet = access.op.outlet if isinstance(access.op, Copy) else ()
        lengths = [None if extent.length is None else _value(extent.length, access.env) for extent, _ in outlet]
        places = self._places(access, read, part, [length for length in lengths if length is not None])
        if not outlet or not places or None in lengths:
            return False, None
        known = False
        for env in self._completed(access.env):
            begins = [None if extent.low is None else _value(extent.low, env) for extent, _ in outlet]
            ends = [_value(limit, env) for _, limit in outlet]
            if None in begins or None in ends:
                return False, None
            rooms = [
                end - begin for begin, end in zip(begins, ends, strict=True) if begin is not None and end is not None
            ]
            if any(all(at < room for at, room in zip(place, rooms, strict=True)) for place in places):
                return True, env
            known = True
        return known, None

    @staticmethod
    def _places(access: Access, read: Boxes, part: Box, lengths: list[int]) -> list[tuple[int, ...]]:
        """Where in what a copy writes the first elements of a part go; empty where that cannot be said."""
        if access.operand.laid is None and [behind - low for low, behind in read[0]] == lengths:
            return [tuple(low - first for (low, _), (first, _) in zip(part, read[0], strict=True))]
        stage = access.operand.stage
        shape = () if stage is None else _shape(stage)
        lying = [run for box in read for run in runs(box, shape)]
        first, behind = lying[0][0], lying[-1][1]
        if behind - first != sum(high - low for low, high in lying) or behind - first != prod(lengths):
            return []
        boxes = (box for low, high in runs(part, shape) for box in boxes_of(low - first, high - first, lengths))
        return [tuple(low for low, _ in box) for box in boxes]

    def _completed(self, env: Env) -> Iterator[Env]:
        """With sizes where the instance leaves them open, as far as the program allows; and with the largest that make
        the same run."""
        sizes = [size for size in self.machine.program.sizes if env[size.var] is DATA]
        asserted = [closure(each) for each in self.machine.program.asserts]
        chances = [env, self._largest(env)]
        for base, chosen in product(chances, _SIZES if sizes else _SIZES[:1]):
            made = base[:]
            for size in sizes:
                made[size.var] = 0 if size.bound is not None else min(chosen, size.ends[1])
            try:
                if all(holds(made) for holds in asserted):
                    yield made
            except UndecidedError:
                continue

    def _largest(self, env: Env) -> Env:
        program, sizes = self.machine.program, dict(self.machine.sizes)
        signature = Signature(program, set(sizes))
        alike = signature.of(sizes, {})
        for size in program.sizes:
            if size.var in sizes and size.bound is None:
                larger = (sizes[size.var] + more for more in _MORE)
                grown = ({**sizes, size.var: value} for value in larger if value <= size.ends[1])
                sizes = next((each for each in grown if signature.of(each, {}) == alike), sizes)
        made = env[:]
        for var, value in sizes.items():
            made[var] = value
        return made


def _is_unsaid(access: Access) -> bool:
    """Whether nothing says where a part lies: not one that moves with threads or data, whose extents are known."""
    operand = access.operand
    return not operand.whole and not operand.part and operand.laid is None and operand.stage is not None


def _form(expr: Expr | None) -> object:
    """Equal for expressions that are written alike."""
    if expr is None or expr.op == "?":
        return id(expr)
    return expr.op, expr.value, *map(_form, expr.args)


def _value(expr: Expr, env: Env) -> int | None:
    try:
        value = closure(expr)(env)
    except UndecidedError:
        return None
    return None if value is VARIES or value is DATA else int(value)


def _left(box: Box, written: Iterable[Box]) -> list[Box]:
    """What is left of a box without the others, cut along the first dimension first."""
    rest = [box]
    for hole in written:
        rest = [piece for each in rest for piece in _without(each, hole)]
    return sorted(piece for piece in rest if all(lo < hi for lo, hi in piece))


def _without(box: Box, hole: Box) -> Iterator[Box]:
    if any(hole_hi <= lo or hi <= hole_lo for (lo, hi), (hole_lo, hole_hi) in zip(box, hole, strict=True)):
        yield box
        return
    middle = list(box)
    for axis, ((lo, hi), (hole_lo, hole_hi)) in enumerate(zip(box, hole, strict=True)):
        if lo < hole_lo:
            yield (*middle[:axis], (lo, hole_lo), *middle[axis + 1 :])
        if hole_hi < hi:
            yield (*middle[:axis], (hole_hi, hi), *middle[axis + 1 :])
        middle[axis] = (max(lo, hole_lo), min(hi, hole_hi))
