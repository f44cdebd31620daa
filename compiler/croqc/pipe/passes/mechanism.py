"""Pass mechanism: how each copy is executed.

- TMA where the target has it, the copy is one box between global and shared memory, and the hardware does what the
  source asks: rows and strides of 16-byte multiples. A load must fill what overhangs with zeros or overhang nothing; a
  store drops what overhangs, as the language says (reference, 5.2 and 5.5). So it is for `tma` copies, for `dma` copies
  of a role, and for those of the block by which accumulators leave.
- cp.async for asynchronous loads of the others and for those of a role, of pieces of four bytes or more; vectorised
  accesses of up to 16 bytes where rows are aligned so; else one element at a time.

A `tma` copy whose views the hardware cannot follow is made by threads too, and says so (`instead`): it is complete at
its statement, so that what waits for it, or is triggered after it, counts no bytes. A `tma` copy of elements or strides
that no hardware takes is refused. Of handles that are rotated among each other all or none hold transfers.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, prod

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ONE, Expr, Space, Tile, integer
from croqc.pipe.facts import Facts
from croqc.pipe.handles import spread, together
from croqc.pipe.lying import Lying
from croqc.pipe.published import otherwise_used
from croqc.pipe.tiles import ends_with_tensor
from croqc.pipe.transfers import misaligned, short, sides, unreachable
from croqc.pipe.walk import Body, rewrite, statements
from croqc.pipe.wide import is_small
from croqc.sema.model import Unit
from croqc.sema.tma_boxes import MOST
from croqc.targets.table import Feature
from croqc.text.record import record, replace

_ALIGNED = 128  # bytes: where TMA begins in shared memory
_FLYING = (ir.Mechanism.TMA, ir.Mechanism.CP_ASYNC)  # copies that may be in flight behind their statement


def mechanism(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    uses, lying = _Uses.of(kernel), Lying(kernel)
    body = rewrite(kernel.body, lambda stmt: (_decided(stmt, env, uses, lying),))
    groups = together(kernel)
    mixed = _mixed(body, groups)
    body = rewrite(body, lambda stmt: (_alike(stmt, env, mixed),))
    flying = spread((copy.handle for copy in _copies(body) if copy.mechanism in _FLYING), groups)
    return replace(kernel, body=rewrite(body, lambda stmt: _without_complete(stmt, flying)))


@record
class _Uses:
    """Tensors by name: `used` otherwise than by copies; `stored`, by the accumulators whose tiles they are."""

    used: frozenset[str]
    stored: frozenset[str]

    @staticmethod
    def of(kernel: ir.Kernel) -> _Uses:
        stores = (stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.StoreTile))
        return _Uses(otherwise_used(kernel), frozenset(stmt.dest.tensor.name for stmt in stores))


def _copies(body: Body) -> Iterator[ir.Copy]:
    return (stmt for stmt in statements(body) if isinstance(stmt, ir.Copy))


def _decided(stmt: ir.Stmt, env: Env, uses: _Uses, lying: Lying) -> ir.Stmt:
    if not isinstance(stmt, ir.Copy):
        return stmt
    reason = _why_not_tma(stmt, env, uses)
    shape = "" if reason else _why_not_boxes(stmt, env, lying)
    if not (reason or shape) and stmt.engine == "dma" and stmt.dest.tensor.name in uses.used:
        reason = "what it stores is used by the same kernel" if stmt.dest.tensor.space is Space.GLOBAL else ""
    if not (reason or shape):
        return replace(stmt, mechanism=ir.Mechanism.TMA)
    if stmt.multicast:
        raise LoweringError(f"only TMA copies to every block of a cluster: {reason or shape}", stmt.span)
    if stmt.engine == "tma" and reason:
        raise LoweringError(f"this TMA copy is not possible: {reason}", stmt.span)
    return _by_threads(replace(stmt, instead=shape if stmt.engine == "tma" else ""), env)


def _by_threads(stmt: ir.Copy, env: Env) -> ir.Copy:
    """The copy made by the threads of its unit; only a `dma` copy may still be in flight behind its statement."""
    vector = _vector(stmt, env.facts)
    loads = (stmt.source.tensor.space, stmt.dest.tensor.space) == (Space.GLOBAL, Space.SHARED)
    joins = (stmt.is_async or stmt.unit is Unit.GROUP4) and not stmt.instead  # a role's, which an arrival may publish
    if joins and loads and env.target.has(Feature.CP_ASYNC) and vector >= 4 and stmt.form is ir.Form.COPY:
        return replace(stmt, source=_within(stmt), mechanism=ir.Mechanism.CP_ASYNC, vector=vector)
    return _at_once(stmt, vector)


def _at_once(stmt: ir.Copy, vector: int) -> ir.Copy:
    """The copy made with ordinary instructions, complete behind its statement."""
    size = stmt.source.tensor.elem_bytes
    chosen = ir.Mechanism.VECTOR if vector > size else ir.Mechanism.SCALAR
    made = replace(stmt, source=_within(stmt), mechanism=chosen, vector=max(vector, size))
    return replace(made, is_async=False, completes=None)


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


# --- handles ------------------------------------------------------------------------------------


def _mixed(body: Body, groups: dict[str, frozenset[str]]) -> set[str]:
    """The handles of which one may hold a transfer of TMA or another copy: a wait could not tell them apart."""
    kinds: dict[frozenset[str], set[bool]] = {}
    for copy in _copies(body):
        if copy.handle:
            group = groups.get(copy.handle, frozenset((copy.handle,)))
            kinds.setdefault(group, set()).add(copy.mechanism is ir.Mechanism.TMA)
    return {handle for group, found in kinds.items() if len(found) > 1 for handle in group}


def _alike(stmt: ir.Stmt, env: Env, mixed: set[str]) -> ir.Stmt:
    if not isinstance(stmt, ir.Copy) or stmt.handle not in mixed:
        return stmt
    return _at_once(stmt, _vector(stmt, env.facts))


def _without_complete(stmt: ir.Stmt, flying: set[str]) -> Body:
    """Nothing waits for copies that are complete behind their statements."""
    match stmt:
        case ir.Await(handles=handles):
            rest = tuple(handle for handle in handles if handle in flying)
            return (replace(stmt, handles=rest),) if rest else ()
        case ir.Arrive(after=after):
            return (replace(stmt, after=tuple(handle for handle in after if handle in flying)),)
    return (stmt,)


# --- what TMA can do -----------------------------------------------------------------------------


def _why_not_tma(copy: ir.Copy, env: Env, uses: _Uses) -> str:
    """Why a copy cannot be a TMA transfer; empty where it can."""
    if not env.target.has(Feature.TMA):
        return f"{env.target.name} has no TMA"
    if copy.form is not ir.Form.COPY:
        return "TMA neither transposes nor pads"
    spaces = copy.source.tensor.space, copy.dest.tensor.space
    if spaces not in ((Space.GLOBAL, Space.SHARED), (Space.SHARED, Space.GLOBAL)):
        return "it copies between global and shared memory only"
    if copy.engine == "dma" and not _on_demand(copy, uses):
        return "a cooperative copy of the block"
    outside, _ = sides(copy)
    return short(outside) or misaligned(outside, env.facts)


def _why_not_boxes(copy: ir.Copy, env: Env, lying: Lying) -> str:
    """Why the hardware cannot follow the views of a copy that it could make otherwise; empty where it can."""
    outside, inside = sides(copy)
    if inside.scales:
        return f"its view of '{inside.tensor.name}' has strides of its own"
    loads = outside is copy.source
    if loads and not copy.zero_fill and any(limit is not None for limit in outside.valid):
        return "elements outside the tensor must keep their old values"
    if outside.extents is None or inside.extents != outside.extents:
        return "its box is not known when compiling, or differs on both sides"
    whole = inside.shape[1:] == inside.tensor.shape[1:]
    if inside.dims != tuple(range(len(inside.tensor.shape))) or not (whole or lying.in_groups(copy, inside, env.facts)):
        return f"the box is a part of the rows of '{inside.tensor.name}', and TMA writes rows one behind the other"
    if _offset(inside, env.facts, lying.swizzle(copy, inside)) % _ALIGNED:
        return f"it begins in the middle of {_ALIGNED} bytes of '{inside.tensor.name}'"
    if whole and not lying.in_boxes(copy, inside):
        return (
            f"parts of it with up to {MOST} elements a dimension would not lie in '{inside.tensor.name}' without gaps"
        )
    if copy.engine == "dma" and not all(is_small(extent) for extent in outside.tensor.shape):
        return f"'{outside.tensor.name}' may be longer than TMA counts"  # a `tma` copy is checked at its launch
    return unreachable(outside)


def _on_demand(copy: ir.Copy, uses: _Uses) -> bool:
    """A `dma` copy of a role may be one thread's transfer; one of the whole block is spread over its threads, but for
    one by which accumulators leave: their tile then lies as matrix instructions write it (layout, epilogue)."""
    leaves = copy.source.tensor.name in uses.stored and not copy.is_async
    return copy.unit in (Unit.GROUP4, Unit.THREAD) or bool(copy.completes) or leaves


def _offset(inside: Tile, facts: Facts, swizzle: int) -> int:
    """A number that divides the bytes from a shared tensor's slot to the beginning of a tile. Of one that is swizzled a
    row is as wide as the swizzle, and a group of columns has all rows."""
    extents, size = inside.tensor.extents, inside.tensor.elem_bytes
    steps = [prod(extents[dim + 1 :]) * size for dim in range(len(extents))]
    if swizzle and len(extents) == 2:
        steps = [swizzle, extents[0] * size]
    return gcd(*(facts.divisor(at) * step for at, step in zip(inside.origin, steps, strict=True)))


def _vector(copy: ir.Copy, facts: Facts) -> int:
    """Bytes of one access: the largest power of two up to 16 that all rows of both sides are aligned to."""
    if copy.form is not ir.Form.COPY:
        return 0
    size = copy.source.tensor.elem_bytes
    tiles = (copy.source, copy.dest)
    if not all(_has_rows(tile) for tile in tiles):
        return size
    rows = [
        each for tile in tiles for each in (tile.tensor.shape[-1], tile.origin[-1], tile.shape[-1], *tile.scales[:-1])
    ]
    for width in (16, 8, 4, 2):
        if width > size and facts.divide((width // size, value) for value in rows):
            return width
    return size


def _has_rows(tile: Tile) -> bool:
    """Whether the tile's last dimension runs along the tensor's rows, and ends, where it overhangs, with the tensor:
    then a vector that lies in one of the tensor's aligned pieces exists as a whole or not at all."""
    along = bool(tile.dims) and tile.dims[-1] == len(tile.tensor.shape) - 1 and tile.steps[-1] == ONE
    return along and ends_with_tensor(tile, -1)
