"""Levels of parallelism: inference, order, block sizes and kernels (reference, 4.1 and 4.2).

Fills `levels` and `kernels`; needs types and values. Rows L01 to L10. Must not look at conditions (see `regions`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Final

from croqc.sema import launch
from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.describe import describe
from croqc.sema.elements import INTEGERS
from croqc.sema.masks import UNIT_THREADS, axis_extents
from croqc.sema.model import MAX_THREADS, Kernel, Level
from croqc.sema.nesting import statements
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, Scalar, ShapeType, Type, Unknown
from croqc.syntax import ast
from croqc.targets import offering
from croqc.targets.table import Feature
from croqc.text.diagnostics import Related
from croqc.text.record import record
from croqc.text.span import Span

ORDER: Final = tuple(Level)
_BY_WORD: Final = {level.value: level for level in Level}
_MAX_LEVELS, _MAX_DIMENSIONS = 4, 3


def resolve_levels(builder: Builder) -> None:
    """Levels of every axis and one kernel for each outermost `parallel`, in program order."""
    inner: _Inner = {}
    for stmt, around in statements(builder.function.body):
        if isinstance(stmt, ast.Parallel):
            inner.setdefault(around.parallel, []).append(stmt)
    for node in inner.get(None, ()):
        _KernelLevels(builder, node, inner).resolve()


_Inner = dict[ast.Parallel | None, list[ast.Parallel]]
"""The next `parallel`s inside each one; for None the kernels."""


def level_span(axis: ast.Axis) -> Span:
    """The level word, or the whole axis where none is written."""
    if axis.level is None or axis.level_span_start < 0:
        return axis.span
    return Span(axis.level_span_start, axis.level_span_start + len(axis.level))


@record
class _Size:
    """What one chain of axes says of the block: threads (None if not static) and the axis that says it."""

    threads: int | None
    axis: ast.Axis


class _KernelLevels:
    def __init__(self, builder: Builder, node: ast.Parallel, inner: _Inner) -> None:
        self.b = builder
        self.node = node
        self.sizes: list[_Size] = []
        self.chains = tuple(_chains(node, (), inner))
        self.axes = tuple(dict.fromkeys(axis for chain in self.chains for axis in chain))

    def resolve(self) -> None:
        for chain in self.chains:
            if not self._is_deep(chain):
                self._infer(chain)
        for chain in self.chains:
            self._check_order(chain)
            self._check_group_in_group4(chain)
            self._measure(chain)
        for axis in self.axes:
            self._check_axis(axis)
        kernel = Kernel(self.node, self._axes_of(Level.BLOCK), self._threads(), self._cluster())
        self.b.kernels.append(kernel)
        launch.check_launch(self.b, kernel)

    # --- inference --------------------------------------------------------------------------------

    def _infer(self, chain: Sequence[ast.Axis]) -> None:
        """Rules 1 to 4, from the innermost axis outwards."""
        below: Level | None = None
        for position in reversed(range(len(chain))):
            axis = chain[position]
            if axis.level is not None:
                level = _BY_WORD.get(axis.level)
            else:
                level = self.b.levels.get(axis) or _inferred(below, position == 0)
            if level is None:
                self.b.report(rules.LEVEL_ORDER, axis.span, reason="unclear", level="", outer="")
                return
            self.b.levels.setdefault(axis, level)
            below = level

    def _is_deep(self, chain: Sequence[ast.Axis]) -> bool:
        """More levels than the target has; those above block that are written count apart."""
        counted = [axis for axis in chain if axis.level not in ("term", "device", "cluster")]
        if len(counted) > _MAX_LEVELS:
            self._order_finding("deep", chain[-1], chain[0])
        return len(counted) > _MAX_LEVELS

    def _check_order(self, chain: Sequence[ast.Axis]) -> None:
        for outer, inner in pairwise(chain):
            above, below = self.b.levels.get(outer), self.b.levels.get(inner)
            if above is None or below is None or ORDER.index(above) < ORDER.index(below):
                continue
            self._order_finding("repeated" if above is below else "reversed", inner, outer)
            return

    def _order_finding(self, reason: str, axis: ast.Axis, outer: ast.Axis) -> None:
        inner_word, outer_word = (level.value if (level := self.b.levels.get(one)) else "" for one in (axis, outer))
        self.b.report(rules.LEVEL_ORDER, level_span(axis), reason=reason, level=inner_word, outer=outer_word)

    def _check_group_in_group4(self, chain: Sequence[ast.Axis]) -> None:
        for outer, inner in pairwise(chain):
            if outer.level == "group-4" and inner.level == "group":
                self.b.report(rules.GROUP_IN_GROUP4, level_span(inner))

    # --- single axes ------------------------------------------------------------------------------

    def _check_axis(self, axis: ast.Axis) -> None:
        if not axis.braced or axis.bracketed:  # else the grammar has told that the brackets are missing
            self._check_counts(axis)
        if axis.level == "cluster" and not self.b.context.target.has(Feature.CLUSTER):
            self.b.report(
                rules.LEVEL_UNAVAILABLE,
                level_span(axis),
                level="cluster",
                target=self.b.context.target.name,
                needs=offering(Feature.CLUSTER),
            )

    def _check_counts(self, axis: ast.Axis) -> None:
        for bound in axis.bounds:
            if (found := _count_problem(self.b.type_of(bound), self.b.static(bound))) is not None:
                self.b.report(rules.PARALLEL_COUNT, bound.span, found=found)
        names = len(axis.names) if axis.braced else 0
        extents = len(axis_extents(self.b, axis))
        if (names and names != extents) or max(names, extents) > _MAX_DIMENSIONS:
            self.b.report(rules.PARALLEL_INDICES, axis.span, names=names or extents, bounds=extents)

    # --- block size -------------------------------------------------------------------------------

    def _total(self, chain: Sequence[ast.Axis], level: Level) -> int | None:
        """The product of the extents at a level; None where one is not static, 1 where there is none."""
        extents = [
            extent.const if extent is not None else None
            for axis in chain
            if self.b.levels.get(axis) is level
            for extent in axis_extents(self.b, axis)
        ]
        known = [extent for extent in extents if extent is not None]
        return prod(known) if len(known) == len(extents) else None

    def _measure(self, chain: Sequence[ast.Axis]) -> None:
        widest = next(
            (level for level in UNIT_THREADS if any(self.b.levels.get(axis) is level for axis in chain)), None
        )
        if widest is None:
            return
        axis = next(axis for axis in chain if self.b.levels.get(axis) is widest)
        self._check_unit_threads(chain)
        total = self._total(chain, widest)
        threads = None if total is None else total * UNIT_THREADS[widest]
        if threads is not None and threads > MAX_THREADS:
            self.b.report(rules.BLOCK_THREADS, axis.span, threads=threads, limit=MAX_THREADS)
        if threads is not None and not 0 < threads <= MAX_THREADS:
            threads = None  # reported; nothing is computed for threads that cannot be
        if not any(size.axis is axis for size in self.sizes):
            self.sizes.append(_Size(threads, axis))

    def _check_unit_threads(self, chain: Sequence[ast.Axis]) -> None:
        """`: thread` directly under a group or group-4 has exactly that unit's threads."""
        under = [level for axis in chain if (level := self.b.levels.get(axis)) in (Level.GROUP4, Level.GROUP)]
        inner = [axis for axis in chain if self.b.levels.get(axis) is Level.THREAD]
        total = self._total(chain, Level.THREAD)
        if not under or not inner or total is None:
            return
        unit = under[-1]
        assert unit is not None
        if total != UNIT_THREADS[unit]:
            self.b.report(
                rules.GROUP_THREADS, inner[0].span, threads=total, needed=UNIT_THREADS[unit], level=unit.value
            )

    def _threads(self) -> int | None:
        """The block size that all inner blocks agree on; the widest where they do not."""
        if not self.sizes:
            return 1
        first, *others = self.sizes
        for size in others:
            if None not in (size.threads, first.threads) and size.threads != first.threads:
                place = Related(f"{first.threads} threads here", first.axis.span)
                self.b.report(
                    rules.BLOCK_SIZE_MISMATCH, size.axis.span, (place,), threads=size.threads, other=first.threads
                )
        known = [size.threads for size in self.sizes if size.threads is not None]
        return max(known) if len(known) == len(self.sizes) else None

    def _axes_of(self, level: Level) -> tuple[ast.Axis, ...]:
        return tuple(axis for axis in self.axes if self.b.levels.get(axis) is level)

    def _cluster(self) -> tuple[Int, ...]:
        extents = [extent for axis in self._axes_of(Level.CLUSTER) for extent in axis_extents(self.b, axis)]
        return tuple(extent for extent in extents if extent is not None)


def _chains(node: ast.Parallel, outer: tuple[ast.Axis, ...], inner: _Inner) -> Iterator[tuple[ast.Axis, ...]]:
    """Every sequence of axes from the kernel's first to an innermost one."""
    here = (*outer, *node.axes)
    below = inner.get(node, ())
    if not below:
        yield here
    for child in below:
        yield from _chains(child, here, inner)


def _inferred(below: Level | None, outermost: bool) -> Level | None:
    """The level of an axis without annotation, above one of level `below` (None: it is the innermost)."""
    match below:
        case None:
            return Level.THREAD
        case Level.THREAD:
            return Level.BLOCK if outermost else Level.GROUP
        case Level.GROUP:
            return Level.BLOCK if outermost else Level.GROUP4
        case Level.GROUP4:
            return Level.BLOCK
        case _:
            return None


def _count_problem(type_: Type, value: int | None) -> str | None:
    """What is wrong with the count of an axis (L01), as the message names it."""
    match type_:
        case Unknown() | ShapeType():
            return None
        case Bounded() | Scalar():
            if isinstance(type_, Scalar) and type_.elem not in INTEGERS:
                return describe(type_)
            return str(value) if value is not None and value < 1 else None
        case _:
            return describe(type_)
