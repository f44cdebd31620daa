"""Whether a statement means other places in every turn of a loop around it. Must not change anything.

Two turns are compared as equations: what must be equal in both if the places meet. A sum is equal only if each of its
parts is where the smaller parts together cannot make up for a step of the larger one; a value is equal where its
quotient and its remainder by the same number are. If that comes down to the loop's own variable, the turns are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from croqc.pipe import ir
from croqc.pipe.exprs import Cast, Expr, Fn, Lit, Op, Var, integer, parts, substituted
from croqc.pipe.ranges import SIGNED, Range, Ranges, below
from croqc.pipe.walk import Body, bodies, statements
from croqc.sema.model import THREADS, Unit
from croqc.text.record import record

_PURE = ("cdiv", "__min", "__max")


def names_of(expr: Expr) -> frozenset[str] | None:
    """The names that alone decide about a value; None where memory, registers, or the thread does too."""
    found = set()
    for part in parts(expr):
        match part:
            case Var(name=name):
                found.add(name)
            case Lit() | Op() | Cast():
                pass
            case Fn(name=name, foreign=False) if name in _PURE:
                pass
            case _:
                return None
    return frozenset(found)


@record
class Place:
    """What stands around a statement: the loops, outermost first; the role; conditions, with whether they hold."""

    loops: tuple[ir.Loop | ir.While, ...] = ()
    role: ir.Role | None = None
    conditions: tuple[tuple[Expr, bool], ...] = ()


_NOWHERE = Place()


def places(body: Body, around: Place = _NOWHERE) -> Iterator[tuple[ir.Stmt, Place]]:
    """Every statement in and under a list, with its place. Behind `if (c) break;` c does not hold."""
    for stmt in body:
        yield stmt, around
        match stmt:
            case ir.If(cond=cond, then=then, other=other):
                yield from places(then, _under(around, cond, True))
                yield from places(other, _under(around, cond, False))
                if then and isinstance(then[-1], ir.Jump):
                    around = _under(around, cond, False)
            case ir.Loop() | ir.While():
                yield from places(stmt.body, Place((*around.loops, stmt), around.role, around.conditions))
            case ir.Role():
                yield from places(stmt.body, Place(around.loops, stmt, around.conditions))
            case _:
                for inner in bodies(stmt):
                    yield from places(inner, around)


def _under(around: Place, cond: Expr, holds: bool) -> Place:
    return Place(around.loops, around.role, (*around.conditions, (cond, holds)))


class Values:
    """What names of a kernel stand for. `changing`: those that are assigned; `unknown`: an island may assign any."""

    def __init__(self, kernel: ir.Kernel) -> None:
        stmts = tuple(statements(kernel.body))
        self.unknown = any(isinstance(stmt, ir.Text) for stmt in stmts)
        self.changing = {name for stmt in stmts for name in _assigned(stmt)}
        self.meanings: dict[str, Expr] = {}
        several: set[str] = set()
        given = [(name, value) for name, value in kernel.given if name not in self.changing]
        for name, value in (*given, *((stmt.name, stmt.value) for stmt in stmts if isinstance(stmt, ir.Let))):
            names = names_of(value)
            if names is None or not self.changing.isdisjoint((name, *names)) or self.meanings.get(name, value) != value:
                several.add(name)
            self.meanings[name] = value
        for name in several:
            del self.meanings[name]
        for name in tuple(self.meanings):  # a value is made of names that stand in front of it
            self.meanings[name] = substituted(self.meanings[name], self.meanings)

    def inlined(self, expr: Expr) -> Expr:
        """An expression with the names that stand for values replaced by these."""
        return substituted(expr, self.meanings)


def _assigned(stmt: ir.Stmt) -> tuple[str, ...]:
    match stmt:
        case ir.Set(name=name) | ir.Let(name=name, changes=True) | ir.Atomic(old=name):
            return (name,)
        case ir.Rotate(handles=names):
            return names
    return ()


class Turns:
    """Answers for the turns of one loop around a statement that stands in a place. `extents`: those of the tensor that
    it stores to; where one of them is 0 there is nothing to meet."""

    def __init__(
        self, kernel: ir.Kernel, values: Values, place: Place, loop: ir.Loop | ir.While, extents: Sequence[Expr]
    ) -> None:
        self.values, self.loop = values, loop
        self.known: set[Expr] = set()  # what is equal in both turns
        names = _ranges(kernel, place, values, extents)
        self.varying = {name for stmt in statements(loop.body) for name in (*_assigned(stmt), *_declared(stmt))}
        self.varying |= {
            each.name for each in kernel.indices if names[each.name].width != 0
        }  # another unit's turn, too
        self.varying |= {loop.name} if isinstance(loop, ir.Loop) else set()
        less = [
            (values.inlined(small), values.inlined(large))
            for cond, holds in place.conditions
            for small, large in below(cond, holds)
            if self._stays(small) and self._stays(large)
        ]
        self.ranges = Ranges(names, less)

    def _stays(self, expr: Expr) -> bool:
        """Whether an expression means the same wherever it stands in a turn."""
        names = names_of(expr)
        return names is not None and names.isdisjoint(self.values.changing)

    def differ(self, sides: Sequence[tuple[Expr, int | None]]) -> bool:
        """Whether boxes with these corners and lengths, one a dimension, have nothing in common in two turns."""
        if self.values.unknown or not isinstance(self.loop, ir.Loop) or (integer(self.loop.step) or 0) < 1:
            return False
        corners = [(self.values.inlined(start), length - 1) for start, length in sides if length is not None]
        quotients = {part for corner, _ in corners for part in parts(corner) if isinstance(part, Op) and part.op == "/"}
        before = -1
        while before != len(self.known):
            before = len(self.known)
            for corner, slack in corners:
                self._split(corner, slack)
            for term in tuple(self.known):
                self._split(term, 0)
            self._join(quotients)
        return Var(self.loop.name) in self.known

    def _split(self, value: Expr, slack: int) -> None:
        """Adds the parts of a sum that must be equal where the sums differ by `slack` at most."""
        open_parts = {part: abs(factor) for part, factor in terms_of(value) if not self._is_known(part)}
        while open_parts:
            largest = max(open_parts, key=lambda part: open_parts[part] * self._step(part))
            step = open_parts.pop(largest) * self._step(largest)
            reach = slack
            for part, factor in open_parts.items():
                width = self.ranges.of(part).width
                if width is None:
                    return
                reach += factor * width
            if reach >= step:
                return
            self.known.add(largest)

    def _step(self, part: Expr) -> int:
        """By how much a value changes at least, if it does."""
        step = integer(self.loop.step) if isinstance(self.loop, ir.Loop) and part == Var(self.loop.name) else None
        return step or 1

    def _join(self, quotients: set[Op]) -> None:
        """Adds what quotient and remainder by the same known number give."""
        for each in quotients:
            value, by = each.args
            if each.elem in SIGNED and value.elem in SIGNED and self._is_known(by) and self._is_known(each):
                rest = Op("%", (value, by), each.elem)
                if self._is_known(rest):
                    self.known.add(value)

    def _is_known(self, expr: Expr) -> bool:
        if expr in self.known:
            return True
        match expr:
            case Lit():
                return True
            case Var(name=name):
                return name not in self.varying
            case Op(args=args):
                return all(map(self._is_known, args))
            case Fn(name=name, args=args, foreign=False) if name in _PURE:
                return all(map(self._is_known, args))
            case Cast(value=value):
                return self._is_known(value)
        return False


def _declared(stmt: ir.Stmt) -> tuple[str, ...]:
    match stmt:
        case ir.Let(name=name) | ir.Loop(name=name):
            return (name,)
        case ir.Visit(names=names, counter=counter):
            return (*names, counter)
    return ()


def terms_of(expr: Expr) -> tuple[tuple[Expr, int], ...]:
    """A sum as values and their factors, each value once; without its constant."""
    found: Counter[Expr] = Counter()
    for part, factor in _terms(expr, 1):
        if integer(part) is None:
            found[part] += factor
    return tuple((part, factor) for part, factor in found.items() if factor)


def constant_of(expr: Expr) -> int:
    return sum((integer(part) or 0) * factor for part, factor in _terms(expr, 1))


def _terms(expr: Expr, factor: int) -> Iterator[tuple[Expr, int]]:
    match expr:
        case Op(op="+", args=(left, right), elem="s32" | "s64"):
            yield from _terms(left, factor)
            yield from _terms(right, factor)
        case Op(op="-", args=(left, right), elem="s32" | "s64"):
            yield from _terms(left, factor)
            yield from _terms(right, -factor)
        case Op(op="*", args=(left, Lit(value=int() as by)) | (Lit(value=int() as by), left), elem="s32" | "s64"):
            yield from _terms(left, factor * by)
        case _:
            yield expr, factor


def _ranges(kernel: ir.Kernel, place: Place, values: Values, extents: Sequence[Expr]) -> dict[str, Range]:
    """What the text says of names where a statement stands."""
    found = {each.name: Range(1) for each in extents if isinstance(each, Var)}
    for name, extent in zip(kernel.grid_names, kernel.grid, strict=True):
        number = integer(extent)
        found[name] = Range(0, None if number is None else number - 1)
    found |= {name: Range(0, extent - 1) for name, extent in kernel.cluster}
    found |= {each.name: _index(each, kernel, place.role) for each in kernel.indices}
    for loop in place.loops:
        if isinstance(loop, ir.Loop) and (integer(loop.step) or 0) > 0:
            known = Ranges(found)
            low, high = known.of(values.inlined(loop.start)).low, known.of(values.inlined(loop.stop)).high
            found[loop.name] = Range(low, None if high is None else high - 1)
    return {name: Range() if name in values.changing else each for name, each in found.items()}


def _index(index: ir.Index, kernel: ir.Kernel, role: ir.Role | None) -> Range:
    """What an index of threads is among those that run a role, or the kernel."""
    if role is None:
        threads: Sequence[int] = range(kernel.threads)
    else:
        together = THREADS[Unit.GROUP4]
        threads = [thread for group in role.groups for thread in range(group * together, (group + 1) * together)]
    found = {thread // index.unit % index.bound for thread in threads}
    return Range(min(found), max(found)) if found else Range()
