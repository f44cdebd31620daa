"""Parts of buffers: what a statement touches, and whether two parts overlap. Must not know who runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from croqc.flow.exprs import DATA, VARIES, Env, Expr, UndecidedError, Value, closure
from croqc.flow.program import ForeignError, Stage
from croqc.text.span import Span

Interval = tuple[int, int]
Ranges = Mapping[int, Interval]  # of variables that stand for several values at once


@dataclass(frozen=True, slots=True)
class Extent:
    """One dimension of a part: where it begins, and how long it is; None where that is not understood."""

    low: Expr | None
    length: Expr | None


@dataclass(frozen=True, slots=True)
class Laid:
    """A part that is a box only where the buffer has another `shape`, which begins at its element `base`."""

    base: Expr
    shape: tuple[int, ...]
    part: tuple[Extent, ...]


class Operand:
    """A reference to a stage buffer, to the data of a handle, or to what an `mma.load` named.

    `rows` are the first row and the number of rows in a packed stage, else `index` is the slot. `whole`: every
    element of each slot it names. `part`: the extents inside the buffer, for partial references; `laid`: the same
    behind another shape of the buffer, where they are none in its own. `choice` says which
    of `options` is meant (None: one that is no stage). `lost`: why it cannot be told what is meant.
    """

    __slots__ = (
        "alias", "choice", "code", "handle", "index", "keys", "laid", "lost", "meant", "name", "options", "part",
        "rows", "span", "spelled", "stage", "where", "whole",
    )  # fmt: skip

    def __init__(self, span: Span, name: str) -> None:
        self.span = span
        self.spelled = span  # of a tile that is read by its name: where it got it
        self.where = span  # of the expression that says which slot
        self.name = name
        self.stage: Stage | None = None
        self.handle = -1
        self.alias = -1
        self.index: Expr | None = None
        self.rows: tuple[Expr, int] | None = None
        self.whole = False
        self.part: tuple[Extent, ...] = ()
        self.laid: Laid | None = None
        self.code: Value | None = None
        self.keys: tuple[Value, ...] = ()
        self.meant: dict[Operand, Operand] = {}  # of a name: what it stood for, as read here
        self.choice: Expr | None = None
        self.options: tuple[Operand | None, ...] = ()
        self.lost = ""

    def ready(self) -> Operand:
        """Fixes the closures once the expressions are known."""
        chosen = self.rows[0] if self.rows is not None else self.index
        self.code = closure(chosen) if chosen is not None else None
        sides = [side for each in self.extents() for side in (each.low, each.length) if side is not None]
        self.keys = tuple(closure(side) for side in sides if side.const is None)
        return self

    def standing_for(self, named: Operand) -> Operand:
        """The tile that a name stands for, at the place of this reference: it is read here."""
        found = self.meant.get(named)
        if found is None:
            found = self.meant[named] = Operand(self.span, named.name)
            found.stage, found.handle, found.whole = named.stage, named.handle, named.whole
            found.index, found.rows, found.part = named.index, named.rows, named.part
            found.laid, found.code, found.keys, found.where = named.laid, named.code, named.keys, named.where
            found.spelled = named.span
        return found

    def some(self) -> Operand:
        """A part of it, of which nothing says where it lies."""
        found = Operand(self.span, self.name).standing_for(self)
        found.whole, found.part, found.laid = False, (), None
        return found

    def extents(self) -> tuple[Extent, ...]:
        """All that says where the part lies."""
        return self.part if self.laid is None else (Extent(self.laid.base, None), *self.laid.part)

    def exprs(self) -> tuple[Expr, ...]:
        """What decides which slot is meant."""
        if self.choice is not None:
            return (self.choice, *(expr for one in self.each() for expr in one.exprs()))
        chosen = self.rows[0] if self.rows is not None else self.index
        return () if chosen is None else (chosen,)

    def each(self) -> Iterator[Operand]:
        """The references that it may be."""
        if self.choice is None:
            yield self
        for option in self.options:
            if option is not None:
                yield from option.each()

    def chosen(self, env: Env) -> Operand | None:
        """The reference that is meant now; None for one that is no stage."""
        here: Operand | None = self
        while here is not None and here.choice is not None:
            try:
                number = closure(here.choice)(env)
                if number is VARIES or number is DATA:
                    raise UndecidedError(here.span, number is VARIES)
            except UndecidedError as undecided:
                raise undecided.at(here.span) from undecided
            if not 0 <= number < len(here.options):
                raise ForeignError(here.span, "the index of 'select' is outside its values")
            here = here.options[number]
        if here is not None and here.lost:
            raise ForeignError(here.span, here.lost)
        return here

    def slots(self, env: Env) -> range | None:
        """The slots touched, by their numbers in the program; None out of range."""
        stage = self.stage
        assert stage is not None
        if self.code is None:
            return range(stage.first, stage.first + stage.slots)
        try:
            value = self.code(env)
            if value is VARIES or value is DATA:
                raise UndecidedError(self.span, value is VARIES)
        except UndecidedError:
            return range(stage.first, stage.first + stage.slots)
        last = value
        if self.rows is not None and stage.rows:
            last = (value + self.rows[1] - 1) // stage.rows
            value //= stage.rows
        if value < 0 or last >= stage.slots:
            return None
        return range(stage.first + value, stage.first + last + 1)

    def exact(self, env: Env) -> bool:
        """Whether the slots are known: not where another shape, or a length that varies, cuts into bands of rows."""
        if self.code is None:
            return self.whole or self.stage is None or self.stage.rows is None
        try:
            value = self.code(env)
        except UndecidedError:
            return False
        return value is not VARIES and value is not DATA

    def place(self, env: Env, over: Ranges) -> tuple[object, ...]:
        """Where the part lies, as far as it moves with variables: equal places of one operand are the same part.

        Numbers; where it moves with threads, too, what it lies between."""
        found = tuple(_number(code, env) for code in self.keys)
        if None not in found:
            return found
        return tuple(None if each.low is None else hull(each.low, env, over) for each in self.extents())


def each_of(operands: Iterable[Operand]) -> tuple[Operand, ...]:
    """The references that any of them may be."""
    return tuple(one for operand in operands for one in operand.each())


def _number(code: Value, env: Env) -> object:
    try:
        value = code(env)
    except UndecidedError:
        return None
    return None if value is VARIES or value is DATA else value


def span(extent: Extent, env: Env, over: Ranges) -> tuple[int, int, bool] | None:
    """From, behind, and whether every element between is touched; which threads take part is not known."""
    if extent.low is None or extent.length is None:
        return None
    low, length = hull(extent.low, env, over), hull(extent.length, env, over)
    if low is None or length is None:
        return None
    used = extent.low.variables()
    threads = any(env[var] is VARIES for var in used)
    several = [over[var] for var in used if var in over and not isinstance(env[var], int)]
    steps = several[0][1] - several[0][0] if len(several) == 1 else 0
    gap = low[1] - low[0]
    exact = not threads and length[0] == length[1] and len(several) < 2 and gap <= steps * length[0]
    return low[0], low[1] + length[1], exact


def hull(expr: Expr, env: Env, over: Ranges) -> Interval | None:
    """The smallest interval known to hold the value, both ends included."""
    if expr.op == "k":
        return expr.value, expr.value
    if expr.op == "v":
        value = env[expr.value]
        if value is VARIES or value is DATA:
            return over.get(expr.value)
        return value, value
    parts = [hull(arg, env, over) for arg in expr.args]
    if expr.op not in _HULLS or len(parts) != 2:
        return None
    a, b = parts
    if a is None or b is None:
        return (0, b[1] - 1) if expr.op == "%" and b is not None and b[0] > 0 else None
    return _combined(expr.op, a, b)


_HULLS = frozenset("+-*/%") | {"cdiv"}


def _combined(op: str, a: Interval, b: Interval) -> Interval | None:
    if op == "+":
        return a[0] + b[0], a[1] + b[1]
    if op == "-":
        return a[0] - b[1], a[1] - b[0]
    if op == "*":
        products = [x * y for x in a for y in b]
        return min(products), max(products)
    if a[0] < 0 or b[0] < 1:
        return None
    if op == "%":
        same_round = b[0] == b[1] and a[0] // b[0] == a[1] // b[0]
        return (a[0] % b[0], a[1] % b[0]) if same_round else (0, b[1] - 1)
    if op == "/":
        return a[0] // b[1], a[1] // b[0]
    return -(-a[0] // b[1]), -(-a[1] // b[0])
