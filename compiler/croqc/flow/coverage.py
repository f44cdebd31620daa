"""Parts of a slot that are read though nothing has written them (credit-flow, section 4). Must not word findings.

Only slots that some statement writes in part are looked at. Of each write two things are held: what it writes at
most, beyond which nothing is written for certain; and what it surely writes, under which conditions. Where a read lies
between the two, nothing is claimed (`unsaid`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from math import prod
from weakref import proxy

from croqc.flow.elements import Box, Elements, box_elements, boxes_in
from croqc.flow.exprs import DATA, VARIES, Env, Expr, UndecidedError, closure
from croqc.flow.literals import Literals, Written
from croqc.flow.machine import Machine
from croqc.flow.ops_control import Set
from croqc.flow.ops_data import Copy, Touch
from croqc.flow.places import Places, all_of, slot_shape
from croqc.flow.program import Op, Program, Stage
from croqc.flow.regions import Operand, each_of
from croqc.flow.signature import Signature
from croqc.flow.state import Access

Boxes = tuple[Box, ...]
_MOST_PARTS = 64  # of what is missing, that are looked at
_TOLD = 8  # boxes of one write
_MORE = (255, 127, 63, 31, 15, 7, 3, 1)
_SIZES = (1 << 14, 3 << 10, 1 << 10, 256, 64, 48, 16, 8, 1)  # for what the instance leaves open, to see if any will do


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """`access` reads `box` of its slot, which none of `writes` covers by then. `shape`: of the slot; `late`: something
    may do so behind.

    `certain`: it goes out to global memory, inside the tensor, with `sizes` that the program allows (by variable); else
    it may be that nobody looks at it.
    """

    access: Access
    box: Box
    shape: tuple[int, ...]
    certain: bool
    late: bool
    writes: tuple[tuple[Access, Boxes], ...]
    sizes: Mapping[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Unsaid:
    """What of `read` is written cannot be said of `what`: a write, or itself. `late`: all of it is, but not before."""

    read: Access
    what: Access
    late: bool


def slots_in_part(program: Program) -> frozenset[int]:
    """The slots of buffers that are written, and not always as a whole, or not always the same by all threads."""
    stages: dict[int, Stage] = {}
    moving = _moving(program)
    for op in program.ops:
        some = bool(op.guards) or (isinstance(op, Copy) and op.short)
        for operand in _writes(op):
            stage = operand.stage
            if stage is None or stage.written or not slot_shape(stage):
                continue
            if some or not operand.whole or any(_moves(expr, moving) for expr in operand.exprs()):
                stages[stage.first] = stage
    return frozenset(slot for each in stages.values() for slot in range(each.first, each.first + each.slots))


def _moving(program: Program) -> set[int]:
    """Variables that may have several values at once, or one that is not known."""
    found = {*program.placed.values(), *(loop.var for loop in program.drawn)}
    sets = [op for op in program.ops if isinstance(op, Set)]
    while more := {op.var for op in sets if op.var not in found and _moves(op.expr, found)}:
        found |= more
    return found


def _moves(expr: Expr, moving: set[int]) -> bool:
    return not expr.known or not expr.variables().isdisjoint(moving)


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


@dataclass(frozen=True, slots=True)
class _Write:
    """`most`: what an access writes at most; `surely`, under `literals`: at least, None where that is not known, but of
    the same `part` at best. `number`: in the order of the run, among reads and writes."""

    access: Access
    number: int
    most: Elements
    surely: Elements | None
    part: object
    literals: Literals

    def moves_with(self, variables: set[int]) -> bool:
        """Whether some of them say where it writes."""
        operand = self.access.operand
        sides = (side for each in operand.extents() for side in (each.low, each.length) if side is not None)
        return not all(variables.isdisjoint(expr.variables()) for expr in (*sides, *operand.exprs()))


@dataclass(frozen=True, slots=True)
class _Read:
    """`sure`: all of `elements` are read. `part`: see `Places.part`."""

    access: Access
    number: int
    elements: Elements
    sure: bool
    part: object

    def seen(self, write: _Write) -> _Write | None:
        """A write, as far as it may come before: None where the read is over when it begins. In a loop whose body runs
        once for all iterations, what is written in the same one is certain, and any other may be an earlier one."""
        own, other = self.access, write.access
        before = write.number < self.number or other.clock[own.index] < own.end
        around = {loop.var for loop in own.op.drawn if loop in other.op.drawn}
        if not around:
            return write if before else None
        same = (self.part is not None and self.part == write.part) or not write.moves_with(around)
        return write if before and same else replace(write, surely=None, part=None)


class _Known:
    """What some writes come to. `alike`: under which conditions parts are written of which no more is known."""

    def __init__(self, writes: Iterable[_Write]) -> None:
        self.most: Elements = 0
        self.surely = Written()
        self.alike: defaultdict[object, set[Literals]] = defaultdict(set)
        for write in writes:
            self.most |= write.most
            if write.surely is not None:
                self.surely.add(write.literals, write.surely)
            elif write.part is not None:
                self.alike[write.part].add(write.literals)


class Coverage:
    """What a run wrote and read of the slots that are written in part. A write that is ordered behind a read is none
    for it."""

    def __init__(self, machine: Machine) -> None:
        self.machine: Machine = proxy(machine)  # no circle: a run that is done with is freed at once
        self.places = Places(self.machine)
        self.writes: defaultdict[int, list[_Write]] = defaultdict(list)
        self._known: dict[tuple[object, ...], _Known] = {}
        self.reads: list[_Read] = []
        for number, access in enumerate(machine.accesses.parts.values()):
            if access.write:
                self.writes[access.slot].append(self._write(number, access))
            else:
                self.reads.append(self._read(number, access))

    def _write(self, number: int, access: Access) -> _Write:
        found, sure = self.places.elements(access)
        lengths = (None if one.length is None else one.length.const for one in access.operand.part)
        even = not isinstance(access.op, Copy) or access.op.even
        moves = self._is_left_out(access) or not even or None in lengths  # it may be longer another time
        short = isinstance(access.op, Copy) and access.op.short
        surely = found if sure and not short else None
        part = None if short else self.places.part(access)
        most = self._all(access) if moves else found
        return _Write(access, number, most, surely, part, self.places.literals(access))

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

    def _read(self, number: int, access: Access) -> _Read:
        if self._is_left_out(access):
            return _Read(access, number, self._all(access), sure=False, part=None)
        return _Read(access, number, *self.places.elements(access), self.places.part(access))

    def _before(self, read: _Read) -> _Known:
        """What is written for a read."""
        slot = read.access.slot
        return self._of(slot, [seen for each in self.writes[slot] if (seen := read.seen(each)) is not None])

    def _of(self, slot: int, writes: Sequence[_Write]) -> _Known:
        key = slot, *((write.number, write.surely is None) for write in writes)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _Known(writes)
        return found

    # --- what is left -----------------------------------------------------------------------------

    def gaps(self) -> Iterator[Gap]:
        """Reads of what nothing has written, in the order of the run; slots that nothing writes are another matter."""
        for read, part, late in self.unwritten():
            access = read.access
            assert access.operand.stage is not None
            shape = slot_shape(access.operand.stage)
            known, env = self._goes_out(access, read.elements, part)
            if env is not None or not known:
                own = {write.most: write.access for write in reversed(self.writes[access.slot])}
                boxes = ((each, tuple(islice(boxes_in(most, shape), _TOLD))) for most, each in reversed(own.items()))
                sizes = {} if env is None else {size: env[size] for size in self.machine.sizes}
                yield Gap(access, part, shape, env is not None and read.sure, late, tuple(boxes), sizes)

    def unwritten(self) -> Iterator[tuple[_Read, Box, bool]]:
        """As `gaps`, also what lies beyond a tensor: the read, the part, and whether it may be written behind."""
        for read in self._reads():
            access = read.access
            if access.op.maybe or (isinstance(access.op, Copy) and not access.op.even):
                continue
            if missing := read.elements & ~self._before(read).most:
                assert access.operand.stage is not None
                shape = slot_shape(access.operand.stage)
                ever = missing if self._idle(access) else self._of(access.slot, self.writes[access.slot]).most
                for late, elements in ((False, missing & ~ever), (True, missing & ever)):
                    yield from ((read, part, late) for part in islice(boxes_in(elements, shape), _MOST_PARTS))

    def _idle(self, access: Access) -> bool:
        """Whether some statement writes the buffer in longer runs only."""
        done = {write.access.op for writes in self.writes.values() for write in writes}
        first = access.operand.stage and access.operand.stage.first
        writing = (op for op in self.machine.program.ops if op not in done)
        return any(each.stage is not None and each.stage.first == first for op in writing for each in _writes(op))

    def _reads(self) -> Iterator[_Read]:
        """Those of what somebody writes."""
        return (read for read in self.reads if read.access.slot in self.writes)

    def unsaid(self) -> Unsaid | None:
        """The first read of which it cannot be told whether all of it is written before."""
        for read in self._reads():
            access, known = read.access, self._before(read)
            missing = self._unsure(read, known)
            if not access.op.maybe:
                missing &= known.most  # the rest is not written by then: see `gaps`
            if missing:
                writes = self.writes[access.slot]
                late = not missing & self._unsure(read, self._of(access.slot, writes))
                told = (write.access for write in writes if read.sure and not late and write.most & missing)
                return Unsaid(access, next(told, access), late)
        return None

    def _unsure(self, read: _Read, known: _Known) -> Elements:
        """What of a read may not be written."""
        held = self.places.literals(read.access)
        missing = read.elements & ~known.surely.under(held)
        if missing and not read.sure and known.alike:
            alike = known.alike.get(read.part, ())
            return 0 if any(each <= held for each in alike) else missing
        return missing

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
