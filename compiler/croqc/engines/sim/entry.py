"""The checks at a function's entry, in the order of the reference (3.9, items 3 to 10; limits of TMA: 5.5).

Extents that parameters must share (items 1 and 2) are checked where they are bound. What hangs on a loop, a
parallel index or a condition cannot be checked here. Must not run anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Final

from croqc.engines.sim.errors import SimError
from croqc.runs.conditions import COMPARE
from croqc.runs.elements import ELEMENTS
from croqc.runs.reach import reaches
from croqc.sema.entry_assertions import entry_assertions
from croqc.sema.level_chains import Chain, level_chains
from croqc.sema.masks import UNIT_THREADS
from croqc.sema.model import MAX_THREADS, CopyInfo, Model, SymbolKind, View
from croqc.sema.symbolic import Int
from croqc.sema.tma_boxes import MOST, in_boxes
from croqc.sema.types import Data, Storage, bound_of, data_of
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.record import record
from croqc.text.span import Span

_MAX_RANK, _UNIT_BYTES, _MAX_STRIDE = 5, 16, 2**40
Fault = tuple[Span, str]


@record
class Entry:
    """A function and the values that it is entered with. `nodes`: those that no condition guards."""

    model: Model
    sizes: Mapping[str, int]
    nodes: tuple[ast.Node, ...]

    def value(self, value: Int | None) -> int | None:
        """None where it is not known at entry."""
        return None if value is None else value.evaluate(self.sizes)

    def values(self, shape: tuple[Int, ...]) -> list[int | None]:
        return [self.value(extent) for extent in shape]


def entered(model: Model) -> tuple[ast.Node, ...]:
    """The nodes that no condition guards: what an entry is checked for."""
    return tuple(node for node, reach in reaches(model) if not reach.guarded)


def check_entry(model: Model, nodes: tuple[ast.Node, ...], sizes: Mapping[str, int]) -> None:
    """Raises SimError for the first check that fails. `nodes`: those of `entered`; `sizes`: extents and integer
    parameters by name."""
    entry = Entry(model, sizes, nodes)
    for check in _CHECKS:
        for span, message in check(entry):
            raise SimError(message, span)


def _extents(entry: Entry) -> Iterator[Fault]:
    for symbol in entry.model.symbols:
        if symbol.kind is SymbolKind.BUFFER and isinstance(symbol.type, Data):
            for value in entry.values(symbol.type.shape):
                if value is not None and value < 1:
                    yield symbol.name_span, f"an extent of '{symbol.name}' is {value}; it must be at least 1"
    for node in entry.nodes:
        view = entry.model.views.get(node)
        for op in () if view is None else view.ops:
            for value in entry.values(op.shape):
                if value is not None and value < 1:
                    yield op.span, f"an extent of this view is {value}; it must be at least 1"


def _bounds(entry: Entry) -> Iterator[Fault]:
    for node in entry.nodes:
        bounds = [bound for axis in node.axes for bound in axis.bounds] if isinstance(node, ast.Parallel) else []
        for bound in bounds:
            value = entry.value(entry.model.values.get(bound))
            if value is not None and value < 1:
                yield bound.span, f"a bound of this parallel is {value}; it must be at least 1"
        for binding in node.bindings if isinstance(node, ast.With) else ():
            symbols = [entry.model.uses.get(name) for name in binding.names]
            if any(symbol is not None and entry.value(bound_of(symbol.type)) == 0 for symbol in symbols):
                yield binding.extent.span, "this extent is 0"


def _copies(entry: Entry) -> Iterator[Fault]:
    for node in entry.nodes:
        info = entry.model.copies.get(node) if isinstance(node, ast.Copy) else None
        if info is None or not isinstance(node, ast.Copy):
            continue
        source, dest = entry.values(info.source.data.shape), entry.values(info.dest.data.shape)
        if isinstance(node.config, ast.TransConfig) and len(node.config.order) == len(source) == len(dest):
            for dim, (axis, want) in enumerate(zip(node.config.order, dest, strict=True)):
                have = source[axis]
                if have is not None and want is not None and have != want:
                    yield node.span, f"dimension {dim} of the transposed source has {have} elements, it goes to {want}"
        elif not isinstance(node.config, ast.PadConfig):
            have, want = _count(source), _count(dest)
            if have is not None and want is not None and have > want:
                yield node.span, f"{have} elements are copied to {want}"


def _count(shape: list[int | None]) -> int | None:
    known = [value for value in shape if value is not None]
    return prod(known) if len(known) == len(shape) else None


def _spanned(entry: Entry) -> Iterator[Fault]:
    types = entry.model.types
    for node in entry.nodes:
        if not isinstance(node, ast.Binary):
            continue
        left, right = (data_of(types[side]) if side in types else None for side in (node.left, node.right))
        if left is None or right is None:
            continue
        for dim, (a, b) in enumerate(zip(entry.values(left.shape), entry.values(right.shape), strict=False)):
            if a is not None and b is not None and a != b:
                yield node.span, f"the sides have {a} and {b} elements in dimension {dim}"


def _threads(entry: Entry) -> Iterator[Fault]:
    for kernel in entry.model.kernels:
        count = _widest(entry, kernel.node) if kernel.threads is None else 1
        if count > MAX_THREADS:
            yield kernel.node.span, f"a block would have {count} threads; {MAX_THREADS} are possible"


def _widest(entry: Entry, node: ast.Parallel) -> int:
    """The threads of the widest chain of levels (4.1)."""
    return max((_chained(entry, chain) for chain in level_chains(node)), default=1)


def _chained(entry: Entry, chain: Chain) -> int:
    widths: dict[int, int] = {}
    for axis in chain:
        level = entry.model.levels.get(axis)
        unit = 0 if level is None else UNIT_THREADS.get(level, 0)
        values = [entry.value(entry.model.values.get(bound)) for bound in axis.bounds]
        if unit:
            widths[unit] = widths.get(unit, 1) * prod(value or 1 for value in values)
    return max((unit * width for unit, width in widths.items()), default=1)


def _assertions(entry: Entry) -> Iterator[Fault]:
    for node, _ in entry_assertions(entry.model.function):
        if _fails(entry, node.cond):
            yield node.span, f"assertion failed: {node.message.value}"


def _fails(entry: Entry, cond: ast.Expr) -> bool:
    if isinstance(cond, ast.Paren):
        return _fails(entry, cond.inner)
    if not isinstance(cond, ast.Binary):
        return False
    if cond.op == "&&":
        return _fails(entry, cond.left) or _fails(entry, cond.right)
    left, right = (entry.value(entry.model.values.get(side)) for side in (cond.left, cond.right))
    return cond.op in COMPARE and left is not None and right is not None and not COMPARE[cond.op](left, right)


def _elements(entry: Entry) -> Iterator[Fault]:
    for node in entry.nodes:
        view = entry.model.views.get(node)
        data = None if view is None or view.ops else data_of(view.base.type)
        if view is None or data is None:
            continue
        for dim, (index, extent) in enumerate(zip(view.element or (), entry.values(data.shape), strict=False)):
            value = entry.value(entry.model.values.get(index))
            if value is not None and extent is not None and not 0 <= value < extent:
                where = f"dimension {dim}: {extent} elements exist there"
                yield node.span, f"index {value} of '{view.base.name}' is out of range in {where}"


# --- limits of TMA -------------------------------------------------------------------------------


def _limits(entry: Entry) -> Iterator[Fault]:
    """Descriptors are made on the host, so that a condition in the kernel guards nothing here."""
    for node in walk(entry.model.function):
        info = entry.model.copies.get(node) if isinstance(node, ast.Copy) and node.engine == "tma" else None
        if info is not None:
            outside = info.source if info.dest_storage is Storage.SHARED else info.dest
            yield from ((node.span, text) for text in (*_strides(entry, outside), *_box(entry, info, outside)))


def _strides(entry: Entry, outside: View) -> Iterator[str]:
    base = outside.base.type
    if not isinstance(base, Data):
        return
    name, row = outside.base.name, ELEMENTS[base.elem].dtype.itemsize
    for extent in reversed(base.shape[1:]):
        value = entry.value(extent)
        if value is None:
            return
        row *= value
        if row % _UNIT_BYTES:
            yield f"TMA cannot take '{name}': a stride of {row} bytes is no multiple of {_UNIT_BYTES}"
        elif row >= _MAX_STRIDE:
            yield f"TMA cannot take '{name}': a stride of {row} bytes is not below 2^40"


def _box(entry: Entry, info: CopyInfo, outside: View) -> Iterator[str]:
    box, width = entry.values(info.box), ELEMENTS[outside.data.elem].dtype.itemsize
    if len(box) > _MAX_RANK:
        yield f"TMA copies have at most {_MAX_RANK} dimensions, this one has {len(box)}"
    inner = box[-1] if box else None
    if inner is not None and inner * width % _UNIT_BYTES:
        yield f"TMA copies rows of a multiple of {_UNIT_BYTES} bytes, this one of {inner * width}"
    extents = tuple(extent for extent in box if extent is not None)
    if len(extents) == len(box) and not info.swizzle and not in_boxes(extents, width):
        tile = " x ".join(map(str, extents))
        yield f"TMA copies boxes of at most {MOST} elements a dimension, and a tile of {tile} is none, nor made of such"


_CHECKS: Final[tuple[Callable[[Entry], Iterator[Fault]], ...]] = (
    _extents,
    _bounds,
    _copies,
    _spanned,
    _threads,
    _assertions,
    _elements,
    _limits,
)
