"""Pass mechanism: how each copy is executed.

- TMA where the target has it, the copy is one box between global and shared memory, and the hardware does what the
  source asks: rows and strides of 16-byte multiples. A load must fill what overhangs with zeros or overhang nothing; a
  store drops what overhangs, as the language says (reference, 5.2 and 5.5).
- cp.async for asynchronous loads of the others and for those of a role, where nothing overhangs; vectorised accesses
  of up to 16 bytes where rows are aligned so; else one element at a time.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Expr, Space, Tile, integer
from croqc.pipe.facts import Facts
from croqc.pipe.published import otherwise_used
from croqc.pipe.transfers import misaligned, sides, unclipped
from croqc.pipe.walk import rewrite
from croqc.sema.model import Unit
from croqc.targets.table import Feature
from croqc.text.record import replace


def mechanism(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    used = otherwise_used(kernel)
    return replace(kernel, body=rewrite(kernel.body, lambda stmt: (_decided(stmt, env, used),)))


def _decided(stmt: ir.Stmt, env: Env, used: frozenset[str]) -> ir.Stmt:
    if not isinstance(stmt, ir.Copy):
        return stmt
    reason = _why_not_tma(stmt, env)
    if not reason and stmt.engine == "dma" and stmt.dest.tensor.space is Space.GLOBAL and stmt.dest.tensor.name in used:
        reason = "what it stores is used by the same kernel"
    if not reason:
        return replace(stmt, mechanism=ir.Mechanism.TMA)
    if stmt.engine == "tma":
        raise LoweringError(f"this TMA copy is not possible: {reason}", stmt.span)
    vector = _vector(stmt, env.facts)
    loads = (stmt.source.tensor.space, stmt.dest.tensor.space) == (Space.GLOBAL, Space.SHARED)
    joins = stmt.is_async or stmt.unit is Unit.GROUP4  # a role's copy, which an arrival may publish
    if joins and loads and env.target.has(Feature.CP_ASYNC) and vector >= 4 and _is_whole(stmt):
        return replace(stmt, mechanism=ir.Mechanism.CP_ASYNC, vector=vector)
    size = stmt.source.tensor.elem_bytes
    chosen = ir.Mechanism.VECTOR if vector > size else ir.Mechanism.SCALAR
    return replace(stmt, source=_within(stmt), mechanism=chosen, vector=max(vector, size))


def _within(copy: ir.Copy) -> Tile:
    """The source with a bound where the destination is longer: threads go over the destination's elements."""
    source = copy.source
    if copy.form is not ir.Form.COPY:
        return source
    pairs = zip(source.valid, source.shape, copy.dest.shape, strict=True)
    return replace(
        source,
        valid=tuple(extent if limit is None and _ends_before(extent, full) else limit for limit, extent, full in pairs),
    )


def _ends_before(extent: Expr, full: Expr) -> bool:
    """Whether an extent may be shorter than another one."""
    own, other = integer(extent), integer(full)
    return extent != full and (own is None or other is None or own < other)


def _is_whole(copy: ir.Copy) -> bool:
    """Whether every element of the destination has one in the source: cp.async tests no bounds."""
    inside = all(limit is None for tile in (copy.source, copy.dest) for limit in tile.valid)
    return copy.form is ir.Form.COPY and inside and copy.source.shape == copy.dest.shape


def _why_not_tma(copy: ir.Copy, env: Env) -> str:
    """Why a copy cannot be a TMA transfer; empty where it can."""
    if not env.target.has(Feature.TMA):
        return f"{env.target.name} has no TMA"
    if copy.form is not ir.Form.COPY:
        return "TMA neither transposes nor pads"
    spaces = copy.source.tensor.space, copy.dest.tensor.space
    if spaces not in ((Space.GLOBAL, Space.SHARED), (Space.SHARED, Space.GLOBAL)):
        return "it copies between global and shared memory only"
    if copy.engine == "dma" and not _on_demand(copy):
        return "a cooperative copy of the block"
    outside, inside = sides(copy)
    loads = outside is copy.source
    if loads and not copy.zero_fill and any(limit is not None for limit in outside.valid):
        return "elements outside the tensor must keep their old values"
    if outside.extents is None or inside.extents != outside.extents:
        return "its box is not known when compiling, or differs on both sides"
    if inside.dims != tuple(range(len(inside.tensor.shape))) or inside.shape[1:] != inside.tensor.shape[1:]:
        return f"the box is a part of the rows of '{inside.tensor.name}', and TMA writes rows one behind the other"
    return unclipped(outside) or misaligned(outside, env.facts)


def _on_demand(copy: ir.Copy) -> bool:
    """A `dma` copy of a role may be one thread's transfer; one of the whole block is spread over its threads."""
    return copy.unit in (Unit.GROUP4, Unit.THREAD) or bool(copy.completes)


def _vector(copy: ir.Copy, facts: Facts) -> int:
    """Bytes of one access: the largest power of two up to 16 that all rows of both sides are aligned to."""
    if copy.form is not ir.Form.COPY:
        return 0
    size = copy.source.tensor.elem_bytes
    tiles = (copy.source, copy.dest)
    if not all(_has_rows(tile) for tile in tiles):
        return size
    rows = [value for tile in tiles for value in (tile.tensor.shape[-1], tile.origin[-1], tile.shape[-1])]
    for width in (16, 8, 4, 2):
        if width > size and facts.divide((width // size, value) for value in rows):
            return width
    return size


def _has_rows(tile: Tile) -> bool:
    """Whether the tile's last dimension runs along the tensor's rows, and ends, where it overhangs, with the tensor:
    then a vector that lies in one of the tensor's aligned pieces exists as a whole or not at all."""
    return bool(tile.dims) and tile.dims[-1] == len(tile.tensor.shape) - 1 and not unclipped(tile)
