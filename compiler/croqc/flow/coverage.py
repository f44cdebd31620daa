"""Parts of a slot that are read though nothing ever writes them (credit-flow, section 4). Must not word findings.

Only slots that some statement writes in part are looked at. Of each write two things are held: what it writes at
most, beyond which nothing is written for certain; and what it surely writes, under which conditions. Where a read lies
between the two, nothing is claimed (`unsaid`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from weakref import proxy

from croqc.flow.elements import Box, Elements, box_elements, boxes_in
from croqc.flow.exprs import DATA, VARIES, Env, Expr, UndecidedError, closure
from croqc.flow.literals import Literals, Written
from croqc.flow.machine import Machine
from croqc.flow.ops_data import Copy, Touch
from croqc.flow.places import Places, all_of, slot_shape
from croqc.flow.program import Op, Program, Stage
from croqc.flow.regions import Operand, each_of
from croqc.flow.signature import Signature
from croqc.flow.state import Access

Boxes = tuple[Box, ...]
_Read = tuple[Access, Elements, bool, Elements]
"""With the elements that are read, whether these are all, and those that may not be written before."""
_MOST_PARTS = 64  # of what is missing, that are looked at
_TOLD = 8  # boxes of one write
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


@dataclass(frozen=True, slots=True, eq=False)
class Unsaid:
    """What of `read` is written cannot be said of `what`: a write, or itself. `late`: all of it is, but not before."""

    read: Access
    what: Access
    late: bool


def slots_in_part(program: Program) -> frozenset[int]:
    """The slots of buffers that are written, and not always as a whole."""
    stages: dict[int, Stage] = {}
    for op in program.ops:
        for operand in _writes(op):
            stage = operand.stage
            if stage is not None and not stage.written and (op.guards or not operand.whole) and slot_shape(stage):
                stages[stage.first] = stage
    return frozenset(slot for each in stages.values() for slot in range(each.first, each.first + each.slots))


def _writes(op: Op) -> tuple[Operand, ...]:
    if isinstance(op, Touch):
        return each_of(op.writes)
    if isinstance(op, Copy):
        return () if op.dest.operand is None else tuple(op.dest.operand.each())
    return ()


def coverage_of(machine: Machine) -> Coverage:
    """Of a run that has come to its end; found once."""
    if machine.coverage is None:
        machine.coverage = Coverage(machine)
    found: Coverage = machine.coverage
    return found


class Coverage:
    """What a run wrote and read of the slots that are written in part. `writes`: of each slot, each access with what it
    writes at most."""

    def __init__(self, machine: Machine) -> None:
        self.machine: Machine = proxy(machine)  # no circle: a run that is done with is freed at once
        self.places = Places(self.machine)
        self.writes: dict[int, dict[Elements, Access]] = {}
        self.most: dict[int, Elements] = {}  # written by whom it may be
        self.surely: defaultdict[int, Written] = defaultdict(Written)
        self.alike: defaultdict[tuple[int, object], set[Literals]] = defaultdict(set)  # of parts that are not known
        self.reads: list[_Read] = []
        for access in machine.accesses.parts.values():  # in the order of the run: a later write comes too late
            if access.write:
                self._add(access)
            else:
                self.reads.append(self._read(access))

    def _add(self, access: Access) -> None:
        found, sure = self.places.elements(access)
        moves = self._is_left_out(access)
        if sure:
            self.surely[access.slot].add(self.places.literals(access), found)
        elif (part := self.places.part(access)) is not None:
            self.alike[access.slot, part].add(self.places.literals(access))
        lengths = (None if one.length is None else one.length.const for one in access.operand.part)
        even = not isinstance(access.op, Copy) or access.op.even
        if moves or not even or None in lengths:  # it may be longer another time
            found = self._all(access)
        self.writes.setdefault(access.slot, {}).setdefault(found, access)
        self.most[access.slot] = self.most.get(access.slot, 0) | found

    def _read(self, access: Access) -> _Read:
        left_out = self._is_left_out(access)
        found, sure = (self._all(access), False) if left_out else self.places.elements(access)
        held = self.places.literals(access)
        missing = found & ~self.surely[access.slot].under(held)
        if missing and not sure and self.alike:
            known = self.alike.get((access.slot, self.places.part(access)), ())
            missing = 0 if any(each <= held for each in known) else missing
        return access, found, sure, missing

    @staticmethod
    def _all(access: Access) -> Elements:
        assert access.operand.stage is not None
        return all_of(slot_shape(access.operand.stage))

    def _is_left_out(self, access: Access) -> bool:
        """Where rounds of a long loop are left out, what moves is not seen at every place; slots still are."""
        stage = access.operand.stage
        if not self.machine.leapt or access.operand.whole or stage is None:
            return False
        extents = access.operand.extents()[stage.rows is not None :]
        fixed = {size.var for size in self.machine.program.sizes} | set(self.machine.program.placed.values())
        fixed |= {var for var, _ in self.places.turns}
        return any(one.low is not None and not one.low.variables() <= fixed for one in extents)

    # --- what is left -----------------------------------------------------------------------------

    def gaps(self) -> Iterator[Gap]:
        """Reads of what nothing writes, in the order of the run; slots that nothing writes are another matter."""
        for access, (read, sure), part in self.unwritten():
            assert access.operand.stage is not None
            shape = slot_shape(access.operand.stage)
            known, env = self._goes_out(access, read, part)
            if env is not None or not known:
                boxes = (
                    (each, tuple(islice(boxes_in(own, shape), _TOLD))) for own, each in self.writes[access.slot].items()
                )
                sizes = {} if env is None else {size: env[size] for size in self.machine.sizes}
                yield Gap(access, part, shape, env is not None and sure, tuple(boxes), sizes)

    def unwritten(self) -> Iterator[tuple[Access, tuple[Elements, bool], Box]]:
        """As `gaps`, also what lies beyond a tensor: the read, its elements with whether all of them are read, and the
        part."""
        for access, found, sure, _ in self.reads:
            uneven = isinstance(access.op, Copy) and not access.op.even
            if access.op.maybe or uneven or access.slot not in self.writes:
                continue
            if missing := found & ~self.most[access.slot]:
                assert access.operand.stage is not None
                parts = boxes_in(missing, slot_shape(access.operand.stage))
                yield from ((access, (found, sure), part) for part in islice(parts, _MOST_PARTS))

    def unsaid(self) -> Unsaid | None:
        """The first read of which it cannot be told whether all of it is written before."""
        for access, _, sure, missing in self.reads:
            if not access.op.maybe:
                missing &= self.most.get(access.slot, 0)  # the rest is never written: see `gaps`
            if missing and access.slot in self.writes:
                late = not missing & ~self.surely[access.slot].under(self.places.literals(access))
                writes = self.writes[access.slot].items()
                known = sure and not late
                return Unsaid(access, next((one for all_, one in writes if known and all_ & missing), access), late)
        return None

    def _goes_out(self, access: Access, read: Elements, part: Box) -> tuple[bool, Env | None]:
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
    def _places(access: Access, read: Elements, part: Box, lengths: list[int]) -> list[tuple[int, ...]]:
        """Where in what a copy writes the first elements of a part go; empty where that cannot be said."""
        stage = access.operand.stage
        shape = () if stage is None else slot_shape(stage)
        whole = next(boxes_in(read, shape))
        if access.operand.laid is None and [behind - low for low, behind in whole] == lengths:
            return [tuple(low - first for (low, _), (first, _) in zip(part, whole, strict=True))]
        first = (read & -read).bit_length() - 1
        if read >> first != (1 << prod(lengths)) - 1 or not lengths:
            return []
        return [tuple(low for low, _ in box) for box in boxes_in(box_elements(part, shape) >> first, lengths)]

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


def _value(expr: Expr, env: Env) -> int | None:
    try:
        value = closure(expr)(env)
    except UndecidedError:
        return None
    return None if value is VARIES or value is DATA else int(value)
