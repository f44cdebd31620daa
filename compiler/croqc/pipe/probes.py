"""Puts probes into a lowered kernel: around each wait, arrival, copy, run of multiplies and what ends it, and around
stores of accumulators to global memory.

One thread of each path records. Nothing moves: a kernel with probes does what it did without, in the same order.
Must not look at times.
"""

from __future__ import annotations

from typing import Final

from croqc.flow.paths import Path, enters, kernel_paths
from croqc.pipe import ir
from croqc.pipe.exprs import ZERO, Expr, Space, Tile, Var, modulo, variables
from croqc.pipe.exprs import Lit as Literal
from croqc.pipe.walk import Body, statements, with_bodies
from croqc.sema.masks import Mask, Masks, members, regions
from croqc.sema.model import Kernel, Model
from croqc.text.record import record, replace
from croqc.text.span import NOWHERE

MOST_PATHS: Final = 64
"""Of one block; of a kernel with more the first ones record."""

_MULTIPLYING = (ir.Multiply, ir.Fence, ir.LoadFragment, ir.Let, ir.Loop, ir.Scope)
_BESIDE = (ir.Multiply, ir.Fence, ir.LoadFragment)  # what a run of multiplies consists of, with loops over them


def probed(model: Model, kernel: Kernel, lowered: ir.Kernel) -> ir.Kernel:
    """`lowered`, the final IR of a kernel of the model, with probes."""
    placing = _Placing(lowered)
    body = placing.body(lowered.body, "")
    return replace(lowered, body=body, probes=ir.Probes(tuple(placing.sites), recorders(model, kernel)))


def recorders(model: Model, kernel: Kernel) -> tuple[ir.Recorder, ...]:
    """The recording thread of each path, in order: the first of those that enter the most of its regions, and that do
    not record for another path yet."""
    masks = None if kernel.threads is None else Masks(model, kernel.node, kernel.threads)
    found: list[ir.Recorder] = []
    for path in kernel_paths(model, kernel)[:MOST_PATHS]:
        entered = [] if masks is None else _entered(masks, kernel, path)
        own = path.numbers or (0,)
        taken = {each.thread for each in found}
        thread = max(own, key=lambda each: (each not in taken, sum(mask >> each & 1 for mask in entered), -each))
        found.append(ir.Recorder(path.name, thread))
    return tuple(found)


def _entered(masks: Masks, kernel: Kernel, path: Path) -> list[Mask]:
    """The threads of each region that the path enters."""
    chains = (chain for chain in regions(kernel.node) if enters(path, chain[-1]))
    return [mask for chain in chains if (mask := masks.of_regions(chain)) is not None and members(mask)]


@record
class _Told:
    """What a record says of a slot: none without `slotted`."""

    slot: Expr = ZERO
    slotted: bool = False


class _Placing:
    def __init__(self, kernel: ir.Kernel) -> None:
        self.events = {event.name: event for event in kernel.events}
        self.sites: list[ir.ProbeSite] = []

    def body(self, body: Body, loop: str) -> Body:
        """A list of statements; `loop`: the variable of the innermost loop around it."""
        found: list[ir.Stmt] = []
        run: list[ir.Stmt] = []
        for stmt in (*body, None):
            if stmt is not None and _multiplies_only(stmt):
                run.append(stmt)
                continue
            found += self._run(run, loop)
            run = []
            if stmt is not None:
                found.append(self._one(stmt, loop))
        return tuple(found)

    def _run(self, run: list[ir.Stmt], loop: str) -> Body:
        """Statements that multiply and load operands, as one place: that of its first multiply."""
        first = next((each for each in statements(tuple(run)) if isinstance(each, ir.Multiply)), None)
        if first is None:
            return tuple(run)
        inside = {each.name for each in statements(tuple(run)) if isinstance(each, ir.Let | ir.Loop)}
        told = self._buffer(first.a)
        if set(variables(told.slot)) & inside:
            told = _Told()
        buffer = _name(first.a) or _name(first.b)
        site = ir.ProbeSite("multiply", first.span, buffer=buffer, slotted=told.slotted, loop=loop)
        return (self._probe(site, told.slot, tuple(run)),)

    def _one(self, stmt: ir.Stmt, loop: str) -> ir.Stmt:
        site, told = self._site(stmt, loop)
        if site is not None:
            return self._probe(site, told.slot, (stmt,))
        inner = stmt.name if isinstance(stmt, ir.Loop) else loop
        return with_bodies(stmt, lambda body: self.body(body, inner))

    def _probe(self, site: ir.ProbeSite, slot: Expr, body: Body) -> ir.Probe:
        self.sites.append(site)
        turn: Expr = Var(site.loop) if site.loop else ZERO
        return ir.Probe(site.span, len(self.sites), slot, turn, body)

    def _site(self, stmt: ir.Stmt, loop: str) -> tuple[ir.ProbeSite | None, _Told]:
        """The place that a single statement is, if it is one."""
        match stmt:
            case ir.Wait(slot=slot):
                return self._of_event("wait", stmt, slot, loop)
            case ir.Arrive(slot=slot) | ir.ArriveCommitted(slot=slot):
                return self._of_event("trigger", stmt, slot, loop)
            case ir.Copy():
                return self._copy(stmt, loop)
            case ir.StoreTile() if (
                stmt.dest.tensor.space is Space.GLOBAL
            ):  # into shared memory: short, no register free
                return ir.ProbeSite("write", stmt.span, loop=loop), _Told()
        op = _OPS.get(type(stmt))
        return (None if op is None else ir.ProbeSite(op, stmt.span, loop=loop)), _Told()

    def _of_event(self, op: str, stmt: ir.Stmt, slot: ir.SlotRef, loop: str) -> tuple[ir.ProbeSite, _Told]:
        event = self.events[slot.event]
        at = modulo(slot.at, Literal(event.slots)) if slot.ordered else slot.at
        announced = stmt.bytes if isinstance(stmt, ir.Arrive) else 0
        return ir.ProbeSite(op, stmt.span, event.span, announced, slotted=True, loop=loop), _Told(at, True)

    def _copy(self, stmt: ir.Copy, loop: str) -> tuple[ir.ProbeSite, _Told]:
        leaves = stmt.dest.tensor.space is not Space.SHARED
        shared = stmt.source if leaves else stmt.dest
        told = self._buffer(shared)
        return ir.ProbeSite("copy", stmt.span, NOWHERE, 0, _name(shared), leaves, told.slotted, loop), told

    @staticmethod
    def _buffer(tile: Tile) -> _Told:
        return _Told(tile.slot, True) if tile.tensor.space is Space.SHARED and tile.tensor.slots > 1 else _Told()


_OPS: Final[dict[type, str]] = {
    ir.Await: "wait-future",
    ir.StoresRead: "wait-future",
    ir.Sync: "join",
    ir.Commit: "commit",
    ir.Complete: "commit",
}


def _name(tile: Tile) -> str:
    return tile.tensor.name if tile.tensor.space is Space.SHARED else ""


def _multiplies_only(stmt: ir.Stmt) -> bool:
    """A multiply, its fence, a load of its operands, or a loop of nothing else."""
    inner = tuple(statements((stmt,)))
    return any(isinstance(each, _BESIDE) for each in inner) and all(isinstance(each, _MULTIPLYING) for each in inner)
