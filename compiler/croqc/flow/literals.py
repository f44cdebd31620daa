"""Conditions that part the threads, as facts of the elements that they touch. Must not know runs.

`if (row < M) s.at(t) = …` with `row = b * 32 + t` writes element e where `b * 32 + e < M`: whoever reads e under the
same condition reads what was written, whichever thread it is. A condition that cannot be said of elements alone is one
of its threads, for whoever touches the same place by the same threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import or_

from croqc.flow.elements import Elements
from croqc.flow.exprs import COMPARE, Env, Expr, UndecidedError, closure
from croqc.flow.program import Size
from croqc.flow.regions import Ranges, hull

Atom = tuple[object, ...]
Number = int | Fraction
"""Whole ones are always `int`."""
Form = tuple[tuple[Atom, Number], ...]
"""A sum of multiples of atoms, in one order; `_ONE` stands for 1."""
_ONE: Atom = ()
_ROUNDS = 4  # bounds that follow from one another
_Sum = dict[Atom, Number]


@dataclass(frozen=True, slots=True)
class Fact:
    """A comparison holds, or does not. `where`: of which threads at which places; `when`: at which moment, of data."""

    form: tuple[str, Form]
    holds: bool
    where: object = None
    when: object = None

    @property
    def against(self) -> frozenset[Literal]:
        """All that has to hold where this does not."""
        return frozenset({Fact(self.form, not self.holds, self.where, self.when)})


@dataclass(frozen=True, slots=True)
class NotAll:
    """Not all of some facts hold."""

    facts: frozenset[Literal]

    @property
    def against(self) -> frozenset[Literal]:
        return self.facts


Literal = Fact | NotAll
Literals = frozenset[Literal]


class Written:
    """Elements that are surely written, by what holds wherever they are."""

    def __init__(self) -> None:
        self.found: dict[Literals, Elements] = {}
        self._merged = True

    def add(self, literals: Literals, elements: Elements) -> None:
        self.found[literals] = self.found.get(literals, 0) | elements
        self._merged = self._merged and not literals

    def under(self, literals: Literals) -> Elements:
        """The elements that are written where all of this holds."""
        self._merge()
        return reduce(or_, (each for held, each in self.found.items() if held <= literals), 0)

    def _merge(self) -> None:
        """What is written where a fact holds, and also where it does not, is written without it."""
        while not self._merged:
            self._merged = True
            for held in sorted(self.found, key=len, reverse=True):
                for literal in held:
                    rest = held - {literal}
                    both = self.found[held] & self.found.get(rest | literal.against, 0)
                    if both & ~self.found.get(rest, 0):
                        self.found[rest] = self.found.get(rest, 0) | both
                        self._merged = False


class Reader:
    """Of one access: `place` are the expressions that say where, of one element each if `single`; `shape` tells apart
    what they count in; `same` are the numbers that are the same in the whole kernel, by their variables; `over` what
    the other variables lie between, `alias` those of one meaning; `who` the threads; `unknown`: see
    `PathState`."""

    def __init__(
        self,
        place: Sequence[tuple[Expr, bool]],
        shape: object,
        env: Env,
        same: Mapping[int, Size],
        over: Ranges,
        alias: Mapping[int, int],
        who: object,
        unknown: int,
    ) -> None:
        self.env = env
        self.now = (*env, unknown)
        self.same = same
        self.over = over
        self.alias = alias
        self.instead: dict[Atom, _Sum] = {}
        self.meant: dict[Atom, Expr] = {}
        forms = []
        for axis, (expr, single) in enumerate(place):
            found = self._settled(self._sum(expr))
            forms.append(_form(found))
            if single:
                self._name(("@", axis, shape), found)
        self.who = who, tuple(forms)

    def same_part(self, sides: Sequence[Expr]) -> object | None:
        """Equal for whoever finds the same values; None where data decides one."""
        sums = [self._sum(side) for side in sides]
        if any(self._is_data(atom) for each in sums for atom in each):
            return None
        moves = any(self._moves(atom) for each in sums for atom in each)
        return self.who if moves else None, tuple(map(_form, sums))

    def literals(self, guards: Sequence[tuple[Expr, bool]], asked: bool) -> Literals:
        """What holds wherever something is touched. `asked`: the run has found that some thread comes there, so that
        what is the same for all of them holds."""
        found = {each for expr, holds in guards for each in self._of(expr, holds)}
        return frozenset(each for each in found if not asked or _parts(each))

    def _name(self, axis: Atom, place: _Sum) -> None:
        """Says one of the atoms that move by the element along the axis."""
        moving = [atom for atom in place if self._moves(atom)]
        if moving:
            one = min(moving, key=lambda atom: (abs(place[atom]) != 1, repr(atom)))
            by = Fraction(1, place.pop(one))
            self.instead[one] = _added(_times(place, -by), {axis: 1}, by)

    # --- conditions -------------------------------------------------------------------------------

    def _of(self, expr: Expr, holds: bool) -> Iterator[Literal]:
        if expr.op == "!":
            yield from self._of(expr.args[0], not holds)
        elif expr.op in ("&&", "||"):
            parts = frozenset(each for arg in expr.args for each in self._of(arg, expr.op == "&&"))
            if holds == (expr.op == "&&"):
                yield from parts
            else:
                yield NotAll(parts)
        else:
            yield from self._comparison(expr, holds)

    def _comparison(self, expr: Expr, holds: bool) -> Iterator[Literal]:
        """`<` and `==` stand for all comparisons."""
        op, args = expr.op, expr.args
        if op not in COMPARE:
            op, left = "!=", self._sum(expr)
        else:
            first, second = args if op in ("<", ">=", "==", "!=") else args[::-1]
            left = _added(self._sum(first), self._sum(second), -1)
        if op in ("!=", ">=", "<="):
            holds = not holds
        always = None if op in ("==", "!=") else self._is_below(left)
        if always is not None:
            yield from () if always == holds else (NotAll(frozenset()),)
            return
        left = self._settled(left)
        turned = _leads_below(left)
        if turned and op in ("==", "!="):
            left = _times(left, -1)
        elif turned:  # x < 0 does not hold where -x - 1 < 0 does
            left, holds = _added(_times(left, -1), {_ONE: 1}, -1), not holds
        yield from self._fact("==" if op in ("==", "!=") else "<", left, holds)

    def _fact(self, kind: str, value: _Sum, holds: bool) -> Iterator[Literal]:
        form = kind, _form(value)
        if not value.keys() <= {_ONE}:
            data = any(self._is_data(atom) for atom in value)
            moves = any(self._moves(atom) for atom in value)
            yield Fact(form, holds, self.who if moves else None, self.now if data else None)
        elif (value.get(_ONE, 0) < 0 if kind == "<" else not value) != holds:
            yield NotAll(frozenset())

    # --- sums -------------------------------------------------------------------------------------

    def _settled(self, value: _Sum) -> _Sum:
        """With places instead of what they stand for; as often as there are places, as one may lead to another."""
        for _ in range(len(self.instead)):
            for atom in [each for each in value if each in self.instead]:
                count = value.pop(atom)
                value = _added(value, self.instead[atom], count)
        return value

    def _sum(self, expr: Expr) -> _Sum:
        match expr.op:
            case "k":
                return _constant(expr.value)
            case "v":
                return self._variable(expr.value)
            case "?":
                return {("?", -1 - id(expr)): 1}
            case "neg":
                return _times(self._sum(expr.args[0]), -1)
            case "+" | "-":
                left, right = map(self._sum, expr.args)
                return _added(left, right, 1 if expr.op == "+" else -1)
            case "*":
                left, right = map(self._sum, expr.args)
                if not left.keys() <= {_ONE}:
                    left, right = right, left
                if left.keys() <= {_ONE}:
                    return _times(right, left.get(_ONE, 0))
        return self._whole(expr)

    def _variable(self, var: int) -> _Sum:
        value = self.env[var]
        if isinstance(value, int) and var not in self.same:
            return _constant(value)
        known, var = var in self.same or var in self.over, self.alias.get(var, var)
        return {("v" if known else "?", var): 1}

    def _whole(self, expr: Expr) -> _Sum:
        """What is no sum, as one atom; its value where nothing in it is open."""
        args = [self._settled(self._sum(arg)) for arg in expr.args]
        if all(arg.keys() <= {_ONE} for arg in args):
            try:
                return _constant(closure(expr)(self.env))
            except UndecidedError:
                pass
        forms = [_form(arg) for arg in args]
        atom = (expr.op, expr.value, *(sorted(forms, key=repr) if expr.op == "*" else forms))
        self.meant[atom] = expr
        return {atom: 1}

    # --- bounds -----------------------------------------------------------------------------------

    def _is_below(self, value: _Sum) -> bool | None:
        """Whether a sum is below 0 for all threads, blocks and sizes; None if not for all alike."""
        most = self._most(value)
        if most is not None and most < 0:
            return True
        least = self._most(_times(value, -1))
        return False if least is not None and least <= 0 else None

    def _most(self, value: _Sum) -> Number | None:
        """A bound of a sum from above."""
        for _ in range(_ROUNDS):
            if value.keys() <= {_ONE}:
                return value.get(_ONE, 0)
            bounded: _Sum = {}
            for atom, count in value.items():
                bounded = _added(bounded, {atom: 1} if atom == _ONE else self._end(atom, count > 0), count)
            value = bounded
        return None

    def _end(self, atom: Atom, high: bool) -> _Sum:
        """A bound of an atom from above, or below; itself where none is known but by what others come to."""
        kind, which = atom[:2]
        if kind == "v" and isinstance(which, int) and which in self.same:
            size = self.same[which]
            if size.bound is not None:
                return _added(self._sum(size.bound), {_ONE: 1}, -1) if high else {}
            return {atom: 1}
        if kind == "v" and isinstance(which, int) and which in self.over:
            return _constant(self.over[which][high])
        expr = self.meant.get(atom)
        ends = None if expr is None else hull(expr, self.env, self.over)
        if ends is not None:
            return _constant(ends[high])
        by = None if expr is None or len(expr.args) != 2 else expr.args[1].const
        if expr is None or by is None or by < 1 or expr.op not in ("/", "cdiv"):
            return {atom: 1}
        whole = _times(self._sum(expr.args[0]), Fraction(1, by))
        rest = Fraction(by - 1, by)
        if expr.op == "/":
            return whole if high else _added(whole, {_ONE: 1}, -rest)
        return _added(whole, {_ONE: 1}, rest) if high else whole

    # --- atoms ------------------------------------------------------------------------------------

    def _moves(self, atom: Atom) -> bool:
        """Whether it differs between threads, or from moment to moment."""
        return any(each[0] == "?" or (each[0] == "v" and each[1] not in self.same) for each in _leaves(atom))

    def _is_data(self, atom: Atom) -> bool:
        return any(each[0] == "?" for each in _leaves(atom))


def _parts(literal: Literal) -> bool:
    """Whether it may hold for some threads, or elements, and not for others."""
    if isinstance(literal, NotAll) or literal.where is not None:
        return True
    return any(leaf[0] == "@" for atom, _ in literal.form[1] for leaf in _leaves(atom))


def _leaves(atom: Atom) -> Iterator[Atom]:
    if atom and atom[0] in ("v", "?", "@"):
        yield atom
    elif atom:
        forms = [part for part in atom[2:] if isinstance(part, tuple)]
        yield from (leaf for form in forms for inner, _ in form for leaf in _leaves(inner))


def _constant(value: int) -> _Sum:
    return {_ONE: value} if value else {}


def _added(left: Mapping[Atom, Number], right: Mapping[Atom, Number], times: Number) -> _Sum:
    found = dict(left)
    for atom, count in right.items():
        found[atom] = _plain(found.get(atom, 0) + times * count)
    return {atom: count for atom, count in found.items() if count}


def _times(value: Mapping[Atom, Number], by: Number) -> _Sum:
    return {atom: _plain(count * by) for atom, count in value.items() if by}


def _plain(value: Number) -> Number:
    return value if isinstance(value, int) or value.denominator != 1 else value.numerator


def _form(value: Mapping[Atom, Number]) -> Form:
    return tuple(sorted(value.items(), key=repr))


def _leads_below(value: Mapping[Atom, Number]) -> bool:
    """Whether the first atom counts negatively."""
    lead = next((count for atom, count in _form(value) if atom != _ONE), 1)
    return lead < 0
