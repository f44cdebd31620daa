"""Rings whose moduli and lengths differ: named instead of the race or deadlock that they lead to (credit-flow, 4).

The suspicion is tried out: with the moduli of one ring put right the run must be clean. Each ring has its own length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from croqc.flow.explain import iteration_text
from croqc.flow.exprs import DATA, VARIES, Expr, UndecidedError, Value, closure, const
from croqc.flow.instances import refs_of
from croqc.flow.machine import Supposed
from croqc.flow.ops_control import Set
from croqc.flow.ops_events import EventRef
from croqc.flow.program import Op
from croqc.flow.regions import Operand
from croqc.flow.report import FlowFinding
from croqc.flow.state import Fault
from croqc.flow.verdicts.arrays import Array, Paths, numbered_by, rings_of
from croqc.flow.verdicts.case import Case
from croqc.flow.verdicts.sites import read_by, written_by
from croqc.text.diagnostics import Related
from croqc.text.span import Span

_EVENTS = 2  # of a ring: one for the data, one for the space


@dataclass(frozen=True, slots=True)
class Use:
    """A reference into a ring: the length of what it indexes, and the modulus in the index (None without one). `span`:
    of what says which slot; `declared`: of what is indexed."""

    op: Op
    ref: EventRef | Operand | Set
    name: str
    length: int
    modulus: int | None
    span: Span
    declared: Span

    @property
    def index(self) -> Expr:
        """What says which slot, or which row."""
        if isinstance(self.ref, Set):
            return self.ref.expr
        index = self.ref.index if isinstance(self.ref, EventRef) or self.ref.rows is None else self.ref.rows[0]
        assert index is not None
        return index


Sizes = dict[Use, int]
"""By which number each of some references is reduced, supposedly."""


def judge_ring(case: Case) -> FlowFinding | None:
    uses = list(uses_of(case))
    if len(_sizes_in(uses)) < 2:
        return None
    between = rings_of(case.sites)
    arrays = _arrays_of(case, uses, between)
    rings = _rings(arrays, between)
    moving = moving_in(case)
    for sizes in _suppositions(rings, arrays):
        changed = [(use, _with_modulus(use.index, moving, size)) for use, size in sizes.items()]
        if is_clean_with(case, changed):
            ring = next(ring for ring in rings if any(use in sizes for use in ring))
            return _told(case, ring, arrays, sizes)
    return None


def _sizes_in(uses: Iterable[Use]) -> set[int]:
    return {size for use in uses for size in (use.modulus, use.length) if size}


def _arrays_of(case: Case, uses: Iterable[Use], known: Iterable[Array]) -> dict[Use, frozenset[Array]]:
    """What each reference says a slot of: one array, or those that its variable is for."""
    numbered = numbered_by(case.program.ops)
    declared = {array.declared: frozenset((array,)) for array in known}
    found: dict[Use, frozenset[Array]] = {}
    for use in uses:
        mine = numbered.get(use.ref.var) if isinstance(use.ref, Set) else declared.get(use.declared)
        found[use] = mine or frozenset()
    return found


def _rings(arrays: Mapping[Use, frozenset[Array]], between: Mapping[Array, Paths]) -> list[list[Use]]:
    """The references by the ring they are into; a variable for rings of several lengths is in none of them."""
    found: dict[Paths, list[Use]] = {}
    for use, mine in arrays.items():
        paths = {between[array] for array in mine}
        if len(paths) == 1 or len({array.slots for array in mine}) == 1:
            found.setdefault(frozenset().union(*paths), []).append(use)
    return list(found.values())


def _suppositions(rings: list[list[Use]], arrays: Mapping[Use, frozenset[Array]]) -> Iterator[Sizes]:
    """Each array indexed by its own length: in one ring, then in all. Then all of a ring by the shortest."""
    mixed = [ring for ring in rings if len(_sizes_in(ring)) > 1]
    own = [sizes for ring in mixed if (sizes := _own_lengths(ring, arrays))]
    yield from own
    if len(own) > 1:
        yield {use: size for sizes in own for use, size in sizes.items()}
    for ring in mixed:
        shortest = min((array.slots for use in ring for array in arrays[use]), default=0)
        if shortest and _is_one(ring, arrays):
            yield {use: shortest for use in ring if use.modulus is not None}


def _own_lengths(ring: list[Use], arrays: Mapping[Use, frozenset[Array]]) -> Sizes:
    """The references that are reduced by another number than the length of what they index."""
    found: Sizes = {}
    for use in ring:
        lengths = {array.slots for array in arrays[use]}
        if use.modulus is not None and len(lengths) == 1 and use.modulus not in lengths:
            found[use] = lengths.pop()
    return found


def _is_one(ring: list[Use], arrays: Mapping[Use, frozenset[Array]]) -> bool:
    """Whether the same paths surely have one ring: two of them take four events, and differ in those."""
    events = {array for use in ring for array in arrays[use] if array.is_event}
    return len(events) <= _EVENTS or len({event.slots for event in events}) == 1


def tell_outside(case: Case, fault: Fault) -> FlowFinding:
    """An index out of range where no one modulus makes the ring whole.

    The ring wants more slots than there are; or, where nothing is written that asks for more, the index is wrong.
    """
    ref = fault.about["operand"] if "operand" in fault.about else fault.about["ref"]
    name, length, declared = _indexed(ref)
    wanted = [size for use in uses_of(case) for size in (use.modulus, use.length) if size is not None and size > length]
    index = _index_at(ref, fault)
    told = index if index is not None and (index < 0 or not wanted) else None
    return case.finding(
        "ring-mismatch",
        ref.where,
        [] if declared is None else [_declared(name, length, declared)],
        name=name,
        modulus=None,
        length=length,
        expected=max(wanted, default=length + 1),
        index=told,
        iteration="" if told is None else iteration_text(fault.at.op, fault.at.env),
    )


def _index_at(ref: EventRef | Operand, fault: Fault) -> int | None:
    """The slot number that a reference came to as it failed; None where that cannot be told."""
    if ref.code is None:
        return None
    try:
        value = ref.code(fault.at.env)
    except UndecidedError:
        return None
    if value is VARIES or value is DATA:
        return None
    per = ref.stage.rows if isinstance(ref, Operand) and ref.rows is not None and ref.stage is not None else 1
    return int(value) // (per or 1)


def _indexed(ref: EventRef | Operand) -> tuple[str, int, Span | None]:
    """Name, length and declaration of what a reference indexes."""
    if isinstance(ref, EventRef):
        return ref.event.symbol.name, ref.event.slots, ref.event.span
    return (ref.name, 0, None) if ref.stage is None else (ref.name, ref.stage.slots, ref.stage.span)


def _declared(name: str, length: int, place: Span) -> Related:
    return Related(f"'{name}' has {length} slot{'' if length == 1 else 's'}", place)


def _told(case: Case, ring: list[Use], arrays: Mapping[Use, frozenset[Array]], sizes: Sizes) -> FlowFinding:
    odd = [use for use in ring if use in sizes and use.modulus != sizes[use]]
    first = odd[0]
    of_ring = {array.declared: array for use in ring for array in sorted(arrays[use], key=lambda one: one.name)}
    alike = [use for use in odd if (use.modulus, sizes[use]) == (first.modulus, sizes[first])]
    return case.finding(
        "ring-mismatch",
        first.span,
        [_declared(array.name, array.slots, place) for place, array in of_ring.items()][:4],
        name=first.name,
        modulus=first.modulus,
        length=first.length or None,
        expected=sizes[first],
        arrays=_names(alike, arrays),
        ring=_names(ring, arrays),
        iteration="",
    )


def _names(uses: Iterable[Use], arrays: Mapping[Use, frozenset[Array]]) -> tuple[str, ...]:
    return tuple(sorted({array.name for use in uses for array in arrays[use]}))


def declarations(uses: Iterable[Use]) -> list[Related]:
    """Where the arrays of a ring are declared, each once."""
    found = {use.declared: _declared(use.name, use.length, use.declared) for use in uses if use.length}
    return list(found.values())


def moving_in(case: Case) -> set[int]:
    """The variables that change in a run."""
    moving = {loop.var for loop in case.program.loops}
    return moving | {op.var for op in case.program.ops if isinstance(op, Set)}


def uses_of(case: Case) -> Iterator[Use]:
    """Every reference into an array by something that moves, and what variables that say which slot are given."""
    moving = moving_in(case)
    numbering = _numbering(case)
    for op in case.program.ops:
        for ref in refs_of(op):
            if ref.index is None or not ref.index.variables() & moving:
                continue
            modulus = None if ref.ordered else _modulus(ref.index, moving)
            if modulus is not None or ref.ordered:
                yield Use(op, ref, ref.event.symbol.name, ref.event.slots, modulus, ref.where, ref.event.span)
        for operand in (*written_by(op), *read_by(op)):
            expr = operand.rows[0] if operand.rows is not None else operand.index
            if expr is None or operand.stage is None or not expr.variables() & moving:
                continue
            modulus = _modulus(expr, moving)
            if modulus is not None:
                stage = operand.stage
                yield Use(op, operand, operand.name, stage.slots, modulus, operand.where, stage.span)
        if isinstance(op, Set) and op.var in numbering and (modulus := _modulus(op.expr, moving)) is not None:
            yield Use(op, op, case.program.names[op.var], 0, modulus, op.span, op.span)


def _numbering(case: Case) -> set[int]:
    """The variables that a slot's number is made from: a modulus of any other is none of the ring."""
    ops = case.program.ops
    indices = [ref.index for op in ops for ref in refs_of(op)]
    indices += [expr for op in ops for operand in (*written_by(op), *read_by(op)) for expr in operand.exprs()]
    given: dict[int, set[int]] = {}
    for op in ops:
        if isinstance(op, Set):
            given.setdefault(op.var, set()).update(op.expr.variables())
    todo = [var for expr in indices if expr is not None for var in expr.variables()]
    found: set[int] = set()
    while todo:
        var = todo.pop()
        if var not in found:
            found.add(var)
            todo += given.get(var, ())
    return found


def _modulus(expr: Expr, moving: set[int]) -> int | None:
    """The constant by which something that moves is reduced."""
    for part in expr.walk():
        if part.op == "%" and part.args[1].const and part.variables() & moving:
            return part.args[1].const
    return None


def _with_modulus(expr: Expr, moving: set[int], size: int) -> Expr:
    if expr.op == "%" and expr.args[1].const and expr.variables() & moving:
        return Expr("%", (expr.args[0], const(size)), expr.value)
    if not expr.args:
        return expr
    return Expr(expr.op, tuple(_with_modulus(arg, moving, size) for arg in expr.args), expr.value, expr.span)


def is_clean_with(case: Case, changed: Iterable[tuple[Use, Expr]]) -> bool:
    """Whether the run is clean when references have other indices."""
    kept = []
    try:
        for use, index in changed:
            kept.append((use, use.ref.value if isinstance(use.ref, Set) else use.ref.code))
            _give(use, closure(index))
        return case.is_clean(Supposed())
    finally:
        for use, code in kept:
            _give(use, code)


def _give(use: Use, code: Value | None) -> None:
    if not isinstance(use.ref, Set):
        use.ref.code = code
    elif code is not None:
        use.ref.value = code
