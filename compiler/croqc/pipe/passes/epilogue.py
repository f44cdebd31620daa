"""Pass epilogue: accumulators leave through shared memory (PTX ISA, stmatrix, cp.async.bulk.tensor).

- A store of 16-bit elements into a swizzled shared tile uses stmatrix: a warp writes 16 columns at a time.
- A store to global memory that TMA can make goes through a stage of its own, 64 columns at a time: a panel. Panels
  take turns in two buffers where the block's shared memory leaves room for them, so that one is written while the
  transfer of the other is under way, up to the next tile. A buffer is written again only when its last transfer has
  read it. Where no room is left for another stage, stores of tiles alike by one role share theirs.
- Where a panel may meet what was stored before, in the turn before too, all of that has been written first: once a
  turn, in front of the first panel, when the multiplies of the tile lie between. Nothing else may store into such a
  tensor.
"""

from __future__ import annotations

from functools import partial

from croqc.pipe import ir
from croqc.pipe.again import Again
from croqc.pipe.env import Env
from croqc.pipe.exprs import ZERO, Fn, Lit, Space, Tensor, Tile, add, multiply, subtract, whole
from croqc.pipe.ir_declared import SWIZZLED, aligned
from croqc.pipe.published import otherwise_used
from croqc.pipe.transfers import misaligned, unreachable
from croqc.pipe.walk import Body, rewrite, statements, with_bodies
from croqc.sema.model import Unit
from croqc.targets.table import Feature
from croqc.text.record import replace

_WIDTH, _SWIZZLE = 64, 128  # columns and bytes of a panel of 16-bit elements
_HALVES = ("f16", "bf16")
_BARRIERS = 1024  # bytes left for barriers and alignment


def epilogue(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    if not env.target.has(Feature.TMA):
        return kernel
    swizzles = {item.tensor.name: item.swizzle for item in kernel.shared}
    kernel = replace(kernel, body=rewrite(kernel.body, lambda stmt: (_by_matrix(stmt, swizzles),)))
    staging = _Staging(kernel, env)
    body = staging.placed(kernel.body, None)
    return replace(kernel, body=body, shared=(*kernel.shared, *staging.stages), maps=(*kernel.maps, *staging.maps))


def _by_matrix(stmt: ir.Stmt, swizzles: dict[str, int]) -> ir.Stmt:
    if not isinstance(stmt, ir.StoreTile) or stmt.transposed or stmt.limits or not _is_halves(stmt):
        return stmt
    complete = all(limit is None for limit in stmt.dest.valid) and stmt.dest.extents == (stmt.acc.m, stmt.acc.n)
    swizzled = stmt.dest.tensor.space is Space.SHARED and swizzles.get(stmt.dest.tensor.name, 0) > 0
    return replace(stmt, by_matrix=True, columns=stmt.acc.n) if swizzled and complete else stmt


def _is_halves(stmt: ir.StoreTile) -> bool:
    """A warpgroup's 64-row tile that leaves as 16-bit elements, columns in pairs of eight."""
    fits = stmt.acc.unit is Unit.GROUP4 and stmt.acc.m == 64 and stmt.acc.n % 16 == 0
    kinds = stmt.acc.elem == "f32" or stmt.acc.elem == stmt.dest.tensor.elem == "f16"
    return fits and kinds and stmt.dest.tensor.elem in _HALVES


class _Staging:
    """Gives each store to global memory its stage. `alike`: the last one made for a role's tiles of a shape, and how
    many buffers a warpgroup has there."""

    def __init__(self, kernel: ir.Kernel, env: Env) -> None:
        self.kernel, self.env, self.again = kernel, env, Again(kernel)
        copied = (stmt.dest.tensor.name for stmt in statements(kernel.body) if isinstance(stmt, ir.Copy))
        self.used = otherwise_used(kernel) | frozenset(copied)
        self.earlier: list[Tile] = []  # what staged stores write
        self.stages: list[ir.Shared] = []
        self.alike: dict[tuple[str, int, int, str], tuple[Tensor, int]] = {}
        self.maps: list[ir.TensorMap] = []
        used = sum(aligned(item.slot_stride * item.tensor.slots, SWIZZLED) for item in kernel.shared)
        self.room = max(env.target.shared_limit - used - _BARRIERS, 0)

    def placed(self, body: Body, role: ir.Role | None) -> Body:
        found: list[ir.Stmt] = []
        waited = False  # for all that was stored before this list
        for stmt in body:
            if isinstance(stmt, ir.Role):
                found.append(_drained(with_bodies(stmt, partial(self.placed, role=stmt))))
            elif isinstance(stmt, ir.StoreTile) and role is not None:
                staged = self._staged(stmt, role)
                if len(staged) > 1:
                    staged, waited = self._in_order(stmt, staged, waited)
                found += staged
            else:
                found.append(with_bodies(stmt, partial(self.placed, role=role)))
        return tuple(found)

    def _staged(self, stmt: ir.StoreTile, role: ir.Role) -> Body:
        if stmt.dest.tensor.space is not Space.GLOBAL or stmt.transposed or stmt.limits or not _is_halves(stmt):
            return (stmt,)
        if stmt.acc.n % _WIDTH or stmt.dest.extents != (stmt.acc.m, stmt.acc.n):
            return (stmt,)
        first = role.groups[0]
        together = role.groups == tuple(range(first, first + len(role.groups)))  # slots are counted from the first
        if role.unit is not Unit.GROUP4 or not together or stmt.dest.tensor.name in self.used:
            return (stmt,)
        if unreachable(stmt.dest) or misaligned(stmt.dest, self.env.facts):
            return (stmt,)
        key = role.path, stmt.acc.m, stmt.acc.n, stmt.dest.tensor.elem
        made = self._stage(stmt, len(role.groups)) or self.alike.get(key)
        if made is None:
            return (stmt,)
        self.alike[key] = stage, buffers = made
        number, group = self._map(stmt.dest), subtract(Fn("warpgroup", (), "s32"), Lit(role.groups[0]))
        base = multiply(group, Lit(buffers)) if len(role.groups) > 1 else ZERO
        parts = range(stmt.acc.n // _WIDTH)
        # Where panels do not come in pairs, the first one follows one in the same buffer: that of the tile before.
        keeps = [0 if part == 0 and len(parts) % buffers else buffers - 1 for part in parts]
        stages = [whole(stage, add(base, Lit(part % buffers))) for part in parts]
        return tuple(each for part in parts for each in _part(stmt, stages[part], part * _WIDTH, number, keeps[part]))

    def _in_order(self, stmt: ir.StoreTile, staged: Body, waited: bool) -> tuple[Body, bool]:
        """A staged store behind what it may meet, and whether all that was stored before its list has been written."""
        meets = any(not self.again.never_meet(tile, stmt.dest) for tile in self.earlier)
        self.earlier.append(stmt.dest)
        if not meets and (waited or not self.again.repeats(stmt, stmt.dest)):
            return staged, waited
        first, *rest = staged
        assert isinstance(first, ir.StoresRead)
        return (replace(first, keep=0, written=True), *rest), True

    def _stage(self, stmt: ir.StoreTile, groups: int) -> tuple[Tensor, int] | None:
        """Makes the stage of a store by some warpgroups. Returns it with the buffers of each: two where they fit and
        panels take turns. None where not one fits."""
        size = stmt.acc.m * _WIDTH * 2
        buffers = min(self.room // (groups * size), 2 if stmt.acc.n > _WIDTH else 1)
        if not buffers:
            return None
        self.room -= buffers * groups * size
        name = f"{stmt.acc.name}_stage" + (f"_{len(self.stages) + 1}" if self.stages else "")
        shape = (Lit(stmt.acc.m), Lit(_WIDTH))
        tensor = Tensor(name, stmt.dest.tensor.elem, shape, Space.SHARED, groups * buffers)
        self.stages.append(ir.Shared(tensor, size, stmt.span, _SWIZZLE, SWIZZLED))
        return tensor, buffers

    def _map(self, dest: Tile) -> int:
        made = ir.TensorMap(dest.tensor, (_WIDTH, 64), _SWIZZLE)
        known = [*self.kernel.maps, *self.maps]
        if made in known:
            return known.index(made)
        self.maps.append(made)
        return len(known)


def _part(stmt: ir.StoreTile, stage: Tile, first: int, number: int, keep: int) -> Body:
    """A panel: the last transfer out of its buffer has read it, the warpgroup writes it, one thread starts the next.

    `keep`: how many transfers may still be reading; they are those of other buffers."""
    row, column = stmt.dest.origin
    part = replace(stmt.dest, origin=(row, add(column, Lit(first))), shape=stage.shape, valid=(None, None))
    unit = Unit.GROUP4
    return (
        ir.StoresRead(stmt.span, unit, keep),
        ir.Sync(stmt.span, unit),
        replace(stmt, dest=stage, row_limits=(), column_limits=(), by_matrix=True, first=first, columns=_WIDTH),
        ir.Copy(
            stmt.span,
            stage,
            part,
            ir.Form.COPY,
            unit,
            "tma",
            True,
            mechanism=ir.Mechanism.TMA,
            boxes=(ir.Box(number, (0, 0)),),
        ),
    )


def _drained(role: ir.Stmt) -> ir.Stmt:
    """At the end of a role its last transfers have read their stage: the block's memory may go."""
    assert isinstance(role, ir.Role)
    if any(isinstance(stmt, ir.StoresRead) for stmt in statements(role.body)):
        return replace(role, body=(*role.body, ir.StoresRead(role.span, role.unit)))
    return role
