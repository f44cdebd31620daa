"""A kernel as a program: what it consists of. Must not know what a step does (see `steps` and `ops_*`).

A program is one list of steps; a path is a position in it and an environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from croqc.flow.exprs import Expr
from croqc.flow.limit import Note
from croqc.flow.ranges import ANY, Range
from croqc.sema.masks import Mask
from croqc.sema.model import Symbol
from croqc.syntax import ast
from croqc.text.span import Span


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A loop that matters: `var` runs from `low` below `high` by `step`. `outer`: the loops around it. `shown`: what a
    reader calls its index, where that is not `var` itself."""

    name: str
    var: int
    limit: int
    low: Expr
    high: Expr
    step: Expr
    span: Span  # of what says how often it runs
    outer: tuple[Loop, ...]
    role: ast.InThreads | None = None  # the region it stands in
    shown: Expr | None = None


class Op:
    """One step, as far as it can be read. `loops` are the reader's loops around it, outermost first.

    `top`: the outermost inner `parallel` that it stands in. `together`: the paths of a unit make one access of it;
    `maybe`: why it may not happen, empty where it surely does. `only`: the threads of the block that conditions over
    their indices alone leave; None where there are none. `guards`: other conditions that may part the threads, and
    whether each holds; `ASKED`: where those are asked before it. `drawn`: the loops around it whose body runs once for
    all iterations, innermost first.
    """

    __slots__ = ("atomic", "drawn", "guards", "loops", "maybe", "only", "role", "span", "together", "top")
    WORD = ""
    ASKED = True

    def __init__(self, span: Span, loops: tuple[Loop, ...] = ()) -> None:
        self.span = span
        self.loops = loops
        self.drawn: tuple[Loop, ...] = ()
        self.role: ast.InThreads | None = None
        self.top: ast.Parallel | None = None
        self.maybe = ""
        self.only: Mask | None = None
        self.guards: tuple[tuple[Expr, bool], ...] = ()
        self.together = self.atomic = False

    def exprs(self) -> Sequence[Expr]:
        """The expressions that decide what the step does."""
        return ()


class ForeignError(Exception):
    """The path cannot be followed beyond `span`."""

    def __init__(self, span: Span, reason: str) -> None:
        self.span = span
        self.reason = reason


class BrokenOffError(Exception):
    """Nothing new is to come of a run with faults."""


@dataclass(slots=True, eq=False)
class Event:
    """An event of the program: its slots, the arrival count of each. `tx`: bytes can be bound to it."""

    symbol: Symbol
    number: int
    slots: int
    counts: tuple[int, ...]
    ready: bool
    span: Span
    tx: bool = False
    fresh: bool = False  # declared in a loop: each time another instance


@dataclass(slots=True, eq=False)
class Stage:
    """A buffer of the program: `first` is the number of its first slot; `rows` of each slot, None if not packed, its
    `slot_bytes` None where the extents follow sizes."""

    symbol: Symbol
    first: int
    slots: int
    rows: int | None
    slot_bytes: int | None
    span: Span
    written: bool = False  # holds data before the first step, or is written by what is not followed


@dataclass(slots=True, eq=False)
class Size:
    """A free number of the program: a dimension, an integer parameter, or a block index below `bound`.

    `least`: from which on it is tried. `ends`: the least and the largest number that it can be.
    """

    name: str
    var: int
    least: int
    bound: Expr | None = None
    ends: Range = ANY


def turns_of(low: int, high: int, step: int) -> int:
    """The turns of a loop. `len` of a range does not count beyond 2^63, where unsigned bounds may come round to."""
    return max(-((low - high) // max(step, 1)), 0)


@dataclass(slots=True, eq=False)
class Program:
    """`main` is where the block starts; `divided`: there is no block of its own, every path starts there."""

    ops: list[Op] = field(default_factory=list)
    variables: int = 0
    names: dict[int, str] = field(default_factory=dict)
    sizes: list[Size] = field(default_factory=list)
    placed: dict[Symbol, int] = field(default_factory=dict)  # indices inside the block
    loops: list[Loop] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    asserts: list[Expr] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    handles: dict[int, str] = field(default_factory=dict)
    homes: dict[int, tuple[int, ...]] = field(default_factory=dict)  # the slots that exchanged futures begin with
    divided: bool = False
    stage_slots: int = 0
    partly: frozenset[int] = frozenset()  # slots of which some statement writes a part only
    ranks: set[int] = field(default_factory=set)  # variables that say which block of its cluster this is
    crosses: bool = False  # blocks of a cluster give each other credits or data
    endless: Span | None = None  # of a loop that was left out, as nothing happens in it, and that may not end
    converts: bool = False  # there are integers of other types than indices have
    drawn: list[Loop] = field(default_factory=list)  # loops whose body runs once for all iterations
    applied: list[Loop] = field(default_factory=list)  # over the elements of fragments, which paths may share
