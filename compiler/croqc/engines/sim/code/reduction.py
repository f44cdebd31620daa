"""Loops whose body is one `target += value` as a single array operation over the loop's axis.

Only loops that cannot be told apart from running round by round: the target does not move with the index, the
value does not read the target, and the sum is taken in the order of the rounds. Must not change a result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from croqc.engines.sim.code.compiler import Compiler, Fn
from croqc.engines.sim.code.elements import Place, loader, place_fn, store
from croqc.engines.sim.code.values import BINARY, Value, cast, match
from croqc.engines.sim.machine.dtypes import Array
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.machine.views import View
from croqc.engines.sim.state import Frame, FutureState
from croqc.sema.model import Symbol
from croqc.syntax import ast
from croqc.syntax.visit import walk

_PURE = (
    ast.Name,
    ast.IntLit,
    ast.RealLit,
    ast.Const,
    ast.Unary,
    ast.Binary,
    ast.Cond,
    ast.Paren,
    ast.BoundOf,
    ast.Builtin,
    ast.Chain,
    ast.Member,
    ast.Index,
    ast.Pick,
    ast.Count,
)
_LIMIT = 1 << 18
"""Elements of one array operation; longer loops are cut into pieces."""


def reduction(c: Compiler, node: ast.Foreach) -> Callable[[Frame], bool] | None:
    """A function that runs the loop at once and says so, or declines; None where the loop is of another kind."""
    part, header = _sum_of(node), _header(c, node)
    if part is None or header is None or not isinstance(part.target, ast.Name | ast.Chain):
        return None
    count, slots, index = header
    target = c.symbol(part.target) if isinstance(part.target, ast.Name) else _element_base(c, part.target)
    if target is None or not _independent(c, part, target, index):
        return None
    assert not isinstance(part.value, ast.Call | ast.Select)
    values = c.expr(part.value)
    place = place_fn(c, part.target) if isinstance(part.target, ast.Chain) else None
    readers = [c.slot(symbol) for symbol in _symbols(c, part.value)]
    slot, found = c.slot(target), loader(c, part.target)

    def run(frame: Frame) -> bool:
        rounds = count(frame)
        if rounds is None:
            return False
        where = place(frame) if place is not None else None
        if where is not None and any(_buffer(frame.vars[each]) is where.buffer for each in readers):
            return False
        for piece in _pieces(rounds, max(frame.lanes, 1)):
            start = frame.vars[slot] if where is None else found(where, frame)
            total = _add(frame, start, _evaluate(frame, values, slots, piece))
            _keep(frame, slot, where, total)
        for each in slots:
            frame.vars[each] = (0,) if isinstance(frame.bounds[each], tuple) else 0
        frame.run.budget.spend(len(rounds))
        return True

    return run


def _sum_of(node: ast.Foreach) -> ast.AssignPart | None:
    if len(node.body.stmts) != 1 or not isinstance(stmt := node.body.stmts[0], ast.Assign) or len(stmt.parts) != 1:
        return None
    part = stmt.parts[0]
    pure = part.op == "+=" and all(isinstance(inner, _PURE) for inner in walk(part.value))
    return part if pure else None


def _header(c: Compiler, node: ast.Foreach) -> tuple[Callable[[Frame], range | None], list[int], list[Symbol]] | None:
    """The rounds, the slots of the index and its symbols, of a loop over one integer index."""
    if len(node.bindings) == 1 and len(node.bindings[0].names) == 1:
        binding = node.bindings[0]
        symbol = c.symbol(binding.names[0])
        if binding.tuple_name is not None or c.aliases.get(symbol):
            return None
        return _counted(c, binding, c.slot(symbol)), [c.slot(symbol)], [symbol]
    if len(node.ranges) == 1 and not node.ranges[0].sliced:
        each = node.ranges[0]
        names = [each.name] if each.local is None else [each.name, each.local]
        symbols = [c.symbol(name) for name in names]
        if any(c.aliases.get(symbol) for symbol in symbols):
            return None
        bound = c.slot(symbols[0])
        return (lambda frame: _range(frame.bounds[bound])), [c.slot(symbol) for symbol in symbols], symbols
    return None


def _range(bound: Value) -> range | None:
    return range(bound) if isinstance(bound, int) else None


def _counted(c: Compiler, binding: ast.Binding, slot: int) -> Callable[[Frame], range | None]:
    extent, braced = c.expr(binding.extent), binding.braced

    def run(frame: Frame) -> range | None:
        size = extent(frame)
        single = isinstance(size, tuple) and len(size) == 1
        count = size[0] if single else size
        if not isinstance(count, int | np.integer):
            return None
        frame.bounds[slot] = (int(count),) if single and not braced else int(count)
        return range(int(count))

    return run


def _element_base(c: Compiler, node: ast.Chain) -> Symbol | None:
    info = c.model.views.get(node)
    return info.base if info is not None and info.element is not None else None


def _symbols(c: Compiler, node: ast.Node) -> set[Symbol]:
    return {
        found for each in walk(node) if isinstance(each, ast.Name) and (found := c.model.uses.get(each)) is not None
    }


def _independent(c: Compiler, part: ast.AssignPart, target: Symbol, index: Sequence[Symbol]) -> bool:
    moved = _symbols(c, part.target) & set(index)
    return not moved and target not in _symbols(c, part.value) and target not in index


def _buffer(value: Value) -> Buffer | None:
    if isinstance(value, FutureState):
        value = value.view
    if isinstance(value, View):
        value = value.buffer
    return value if isinstance(value, Buffer) else None


def _pieces(rounds: range, lanes: int) -> Sequence[range]:
    size = max(_LIMIT // lanes, 1)
    return [rounds[start : start + size] for start in range(0, len(rounds), size)]


def _evaluate(frame: Frame, values: Fn, slots: Sequence[int], piece: range) -> Value:
    """The values of all rounds, [rounds, lanes]."""
    index = np.arange(piece.start, piece.stop, piece.step, dtype=np.int64)[:, None]
    for slot in slots:
        frame.vars[slot] = (index,) if isinstance(frame.bounds[slot], tuple) else index
    found = values(frame)
    lanes = found.shape[-1] if isinstance(found, np.ndarray) and found.ndim else 1
    if not hasattr(found, "dtype"):
        found = cast(found, np.dtype(np.int64 if isinstance(found, int) else np.float64))
    return np.broadcast_to(found, (len(piece), lanes))


def _add(frame: Frame, start: Value, rows: Array) -> Value:
    first, head = match(start, rows[0])
    kind = getattr(first, "dtype", None)
    if kind is not None and _summable(kind, head.dtype):
        total = _sequential_sum(first, rows.astype(kind, copy=False), kind)
    else:
        total = start
        for row in rows:
            total = BINARY["+"](total, row)
            if kind is not None:
                total = cast(total, kind)
    return total[0] if not frame.lanes and isinstance(total, np.ndarray) and total.shape == (1,) else total


def _summable(kind: np.dtype[Any], other: np.dtype[Any]) -> bool:
    return (kind.kind in "iu" and other.kind in "iu") or (kind == other and kind.kind == "f")


def _sequential_sum(first: Value, rows: Array, kind: np.dtype[Any]) -> Value:
    """first + rows[0] + rows[1] + …, in this order: NumPy adds along the outer axis row by row."""
    head = (rows[0] + first).astype(kind, copy=False)
    if len(rows) == 1:
        return head
    if rows.shape[1] == 1 and head.size == 1:
        return np.add.accumulate(np.concatenate([np.atleast_1d(head), rows[1:, 0]]), dtype=kind)[-1:]
    parts = np.array(np.broadcast_to(rows, (len(rows), head.shape[-1])))
    parts[0] = head
    return np.add.reduce(parts, axis=0, dtype=kind)


def _keep(frame: Frame, slot: int, where: Place | None, total: Value) -> None:
    if where is not None:
        store(where, total, frame)
        return
    old = frame.vars[slot]
    frame.vars[slot] = total if frame.mask is None else np.where(frame.mask, total, old)
