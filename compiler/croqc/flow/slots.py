"""Which slots of an event a reference can mean, path by path: the iterations of the loops around it are gone through as
far as remainders tell them apart, behind the conditions that let them come there. Must not count or run anything.

What it cannot tell is "every slot" and "may hold", never the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from math import gcd, lcm, prod

from croqc.flow.conditions import Conditions, guards, raw_names
from croqc.sema.events import order_of
from croqc.sema.foreign_writes import foreign_writes
from croqc.sema.masks import atoms_of, defining_value
from croqc.sema.model import Model, Symbol
from croqc.sema.nesting import Around
from croqc.sema.symbolic import Int, Part
from croqc.sema.types import Bounded, BoundedTuple, Event
from croqc.sema.writes import given
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.record import record

_LONGEST = 4096  # iterations that are gone through, all loops together
_DEEPEST = 20  # names that follow from names
_MARK = "'changes"  # behind the name of a mutable variable as an atom

Env = Mapping[str, Int]


@record
class _Course:
    """What an atom goes through: `low`, `low + step` and so on below `high`; None where it goes on for ever."""

    low: int
    step: int
    high: int | None


@record
class _Changes:
    """How a mutable variable changes: from one of the first values by multiples of `step`, reduced by `modulus`."""

    first: tuple[Int, ...]
    step: int
    modulus: int | None


class Slots:
    """Of one kernel. `conditions` says what an index decides."""

    def __init__(self, model: Model, kernel: ast.Node, conditions: Conditions) -> None:
        self.model = model
        self.kernel = kernel
        self.conditions = conditions

    def met(self, event: Event, ref: ast.Expr, env: Env, around: Around, stmt: ast.Node) -> frozenset[int] | None:
        """The slots that the reference means in some iteration that comes to the statement; None for any."""
        values = self._subscripts(event, ref, env)
        if values is None:
            return None
        values = [self.conditions.opened(value) for value in values]
        names = {name for value in values for name in value.names()}
        courses = self._courses(around, env, values)
        courses |= {name: _Course(0, 1, None) for name in names if self.conditions.is_size(name)}
        if not names <= courses.keys():
            return None
        endless = {name for name, course in courses.items() if course.high is None and _MARK not in name}
        if order_of(ref) is None and any(raw_names(value) & endless for value in values):
            return None
        conditions = [
            guard for guard in guards((*around.chain, stmt)) if self._settles(guard[0], env, courses, endless)
        ]
        used = names | {name for cond, _ in conditions for name in self.conditions.names(cond, env)}
        columns = self._columns({name: courses[name] for name in sorted(used)}, env, values, conditions)
        if columns is None:
            return None
        found = set()
        for turn in product(*columns.values()):
            here = dict(zip(columns, turn, strict=True))
            held = {**env, **{name: Int.of(value) for name, value in here.items()}}
            if all(self.conditions.truth(cond, held) is not negated for cond, negated in conditions):
                place = [value.evaluate(here) for value in values]
                if None in place:
                    return None
                found.add(_row_major([each for each in place if each is not None], event.array))
        return frozenset(slot for slot in found if slot is not None)

    # --- what a reference says --------------------------------------------------------------------

    def _subscripts(self, event: Event, ref: ast.Expr, env: Env) -> list[Int] | None:
        if not event.array:
            return None
        if (order := order_of(ref)) is not None:
            value = self._int(order)
            return None if value is None else [value.substitute(env).mod(Int.of(prod(event.array)))]
        suffixes = ref.suffixes if isinstance(ref, ast.Chain) else ()
        found = [self._int(arg) for suffix in suffixes if isinstance(suffix, ast.Index) for arg in suffix.args]
        known = [value.substitute(env) for value in found if value is not None]
        if not len(known) == len(found) == len(event.array):
            return None
        # What a mutable variable stands for is known up to a multiple of the period only.
        return [
            value.mod(Int.of(extent)) if any(_MARK in name for name in value.names()) else value
            for value, extent in zip(known, event.array, strict=True)
        ]

    def _int(self, node: ast.Node, depth: int = 0) -> Int | None:
        """The value of an expression over indices and mutable variables."""
        value = self.model.values.get(node)
        if depth > _DEEPEST:
            return value
        if value is not None:
            known = {name: self._int(self._defined[name], depth + 1) for name in value.names() & self._defined.keys()}
            return value.substitute({name: inner for name, inner in known.items() if inner is not None})
        match node:
            case ast.Paren(inner=inner):
                return self._int(inner, depth + 1)
            case ast.IncDec(name=name):
                return self._int(name, depth + 1)
            case ast.Name():
                symbol = self.model.uses.get(node)
                if symbol is not None and symbol.mutable:
                    return Int.of(_atom(symbol)) if symbol in self._changing else None
                meaning = self.conditions.definition(node)
                return None if meaning is None else self._int(meaning, depth + 1)
            case ast.Binary(op="+" | "-" | "*" | "%" as op, left=left, right=right):
                a, b = self._int(left, depth + 1), self._int(right, depth + 1)
                return None if a is None or b is None else _combined(op, a, b)
        return None

    @cached_property
    def _defined(self) -> dict[str, ast.Node]:
        """What defines the immutable names that the model has no value for, as they follow from mutable ones."""
        definitions = ((atom, defining_value(symbol)) for symbol, atom in atoms_of(self.model).items())
        return {atom: value for atom, value in definitions if value is not None}

    # --- mutable variables ------------------------------------------------------------------------

    @cached_property
    def _assigned(self) -> dict[Symbol, list[tuple[str, ast.Node | None]]]:
        """What is assigned to each mutable variable, with the operator."""
        found: dict[Symbol, list[tuple[str, ast.Node | None]]] = {}
        for node in walk(self.kernel):
            made = given(node)
            if made is None:
                for written in foreign_writes(self.model, node):
                    found.setdefault(written, []).append(("", None))
                continue
            symbol = self.model.uses.get(made[0])
            if symbol is not None and symbol.mutable:
                found.setdefault(symbol, []).append(made[1:])
        return found

    @cached_property
    def _changing(self) -> dict[Symbol, _Changes]:
        """The mutable variables that are counted up and reset to values that a path's indices decide."""
        found = {}
        for symbol, parts in self._assigned.items():
            first: list[Int] = []
            steps: list[int] = [0]
            moduli: set[int | None] = set()
            for op, value in parts:
                change = self._change(symbol, op, value)
                if change is None:
                    break
                if isinstance(change, Int):
                    first.append(change)
                else:
                    steps.append(change[0])
                    moduli.add(change[1])
            else:
                modulus = next(iter(moduli)) if len(moduli) == 1 else None
                found[symbol] = _Changes(tuple(first), gcd(*steps, *(each for each in moduli if each)), modulus)
        return found

    def _change(self, symbol: Symbol, op: str, value: ast.Node | None) -> Int | tuple[int, int | None] | None:
        """A first value, or by how much the variable moves and its modulus; None for anything else."""
        if value is None:
            return (1, None) if op in ("++", "--") else None
        known = self.model.values.get(value)
        if op in ("+=", "-="):
            return None if known is None or known.const is None else (known.const, None)
        if op != "=":
            return None
        return known if known is not None else self._moved(symbol, value, None)

    def _moved(self, symbol: Symbol, value: ast.Node, modulus: int | None) -> tuple[int, int | None] | None:
        """`s + 1` and `(s + 1) % 4`."""
        match value:
            case ast.Paren(inner=inner):
                return self._moved(symbol, inner, modulus)
            case ast.Binary(op="%", left=left, right=right) if modulus is None:
                by = self.model.values.get(right)
                return self._moved(symbol, left, by.const) if by is not None and (by.const or 0) > 0 else None
            case ast.Binary(op="+", left=ast.Name() as name, right=right) if self.model.uses.get(name) is symbol:
                by = self.model.values.get(right)
                return None if by is None or by.const is None else (by.const, modulus)
        return None

    # --- iterations -------------------------------------------------------------------------------

    def _courses(self, around: Around, env: Env, values: Sequence[Int]) -> dict[str, _Course]:
        """The indices of the loops around, by their atoms; the innermost loop over an index is the one that counts."""
        found: dict[str, _Course] = {}
        for node in around.chain:
            if isinstance(node, ast.Foreach):
                parts: list[ast.Binding | ast.Range] = [*node.bindings, *node.ranges]
                for part in parts:
                    for name in part.names if isinstance(part, ast.Binding) else (part.name,):
                        symbol = self.model.uses.get(name)
                        if symbol is not None and symbol.atom:
                            found[symbol.atom] = self._course(symbol, part, env)
        for symbol in self._changing:
            if any(_atom(symbol) in value.names() for value in values):
                found[_atom(symbol)] = _Course(0, 1, None)
        return found

    def _course(self, symbol: Symbol, part: ast.Binding | ast.Range, env: Env) -> _Course:
        high = None
        match symbol.type:
            case Bounded(bound=bound) | BoundedTuple(bounds=(bound,)):
                high = bound.substitute(env).const
        if isinstance(part, ast.Binding):
            return _Course(0, 1, high)
        low, step = self._fixed(part.lo, 0, env), self._fixed(part.step, 1, env)
        less = self._fixed(part.hi, 0, env)
        if low is None or step is None or low < 0 or step < 1:
            return _Course(0, 1, None)
        return _Course(low, step, None if high is None or less is None else high + less)

    def _fixed(self, node: ast.Node | None, default: int, env: Env) -> int | None:
        if node is None:
            return default
        value = self.model.values.get(node)
        return None if value is None else value.substitute(env).const

    def _columns(
        self,
        courses: Mapping[str, _Course],
        env: Env,
        values: Sequence[Int],
        conditions: Sequence[tuple[ast.Node, bool]],
    ) -> dict[str, Sequence[int]] | None:
        """What to try for each atom: one period of everything behind the largest constant that it is compared with."""
        gaps = [gap for cond, _ in conditions for gap in self.conditions.gaps(cond, env)]
        period = _period([*values, *gaps])
        if period is None:
            return None
        beyond = max((_constant(gap) for gap in gaps), default=0) * period
        found: dict[str, Sequence[int]] = {}
        for name, course in courses.items():
            if _MARK in name:
                column = self._values_of(name, env, period)
                if column is None:
                    return None
                found[name] = column
                continue
            last = course.low + course.step * (period + beyond)
            found[name] = range(course.low, last if course.high is None else min(last, course.high), course.step)
            if course.high is not None and len(range(course.low, course.high, course.step)) <= _LONGEST:
                found[name] = range(course.low, course.high, course.step)
        return found if prod(len(column) for column in found.values()) <= _LONGEST else None

    def _values_of(self, name: str, env: Env, period: int) -> Sequence[int] | None:
        changes = next(each for symbol, each in self._changing.items() if _atom(symbol) == name)
        first = [value.substitute(env).const for value in changes.first]
        if None in first or not first:
            return None
        period = changes.modulus or period
        step = gcd(changes.step, period)
        return sorted(
            {(value + step * turn) % period for value in first if value is not None for turn in range(period)}
        )

    # --- conditions -------------------------------------------------------------------------------

    def _settles(self, cond: ast.Node, env: Env, courses: Mapping[str, _Course], endless: set[str]) -> bool:
        """Whether a condition is decided by one period of the iterations: remainders, or one index and constants."""
        names = self.conditions.names(cond, env)
        if not names <= courses.keys() or any(_MARK in name for name in names):
            return False
        for gap in self.conditions.gaps(cond, env):
            raw = raw_names(gap) & endless
            if _period([gap]) is None or (raw and (len(raw) > 1 or gap.names() != raw)):
                return False
        return True


def _atom(symbol: Symbol) -> str:
    return f"{symbol.name}{_MARK}"


def _combined(op: str, a: Int, b: Int) -> Int | None:
    if op == "%":
        return a.mod(b) if (b.const or 0) > 0 else None
    return a + b if op == "+" else a - b if op == "-" else a * b


def _row_major(place: Sequence[int], extents: Sequence[int]) -> int | None:
    """The number of a slot; None out of range. An order has one place for all dimensions."""
    if len(place) != len(extents):
        return place[0]
    number = 0
    for index, extent in zip(place, extents, strict=True):
        if not 0 <= index < extent:
            return None
        number = number * extent + index
    return number


def _period(values: Sequence[Int]) -> int | None:
    """After how many steps all remainders and quotients in some values have come round; None if that is not known."""
    moduli, divisors = [1], 1
    for value in values:
        stack = [atom for atom in value.atoms() if isinstance(atom, Part)]
        while stack:
            part = stack.pop()
            if part.op != "*":
                by = part.b.const
                if by is None or by < 1:
                    return None
                if part.op == "%":
                    moduli.append(by)
                else:
                    divisors *= by
            stack += [atom for side in (part.a, part.b) for atom in side.atoms() if isinstance(atom, Part)]
            if divisors > _LONGEST or len(stack) > _LONGEST:
                return None
    found = lcm(*moduli) * divisors
    return found if found <= _LONGEST else None


def _constant(value: Int) -> int:
    """The size of the constant part of a value, 1 at least."""
    return max([1, *(abs(factor) for monomial, factor in value.terms if not monomial)])
