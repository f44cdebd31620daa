"""What is done with events in the pipeline IR; `ir` has the rest and offers these. Must not hold decisions.

Immutable, as all of the IR; fields marked "(pass)" are decided by that pass.
"""

from __future__ import annotations

from croqc.pipe.exprs import Expr
from croqc.pipe.ir_control import Stmt
from croqc.sema.model import Unit
from croqc.text.record import record


@record
class SlotRef:
    """A slot of an event, by its physical number or, `ordered`, by an order: slot `at % slots` (reference, 7.3)."""

    event: str
    at: Expr
    ordered: bool = False


@record
class Wait(Stmt):
    """Until a generation of the slot is complete. (phases) `phase`: the variable with the path's bit for each
    slot; (fold, scopes) `cluster`: other blocks arrive there too, and what their ordinary code did is seen then."""

    slot: SlotRef
    phase: str | None = None
    cluster: bool = False


@record
class Arrive(Stmt):
    """One arrival of the path, with the copies of some handles; `cluster`: on the slot of every block of the cluster.

    (fold) `bytes`: transaction bytes that the generation expects besides. (publish) `by_threads`: each thread of the
    unit arrives, when its own cp.async copies have landed. (barriers) `meets`: the threads of the unit meet before one
    of them arrives; `publishes`: what they wrote with ordinary instructions becomes visible to the async proxy, and
    `publishes_global` what they wrote to global memory. (scopes) `signals`: to other blocks it says nothing of
    ordinary memory.
    """

    slot: SlotRef
    unit: Unit
    after: tuple[str, ...] = ()
    cluster: bool = False
    bytes: int = 0
    by_threads: bool = False
    meets: bool = False
    publishes: bool = False
    publishes_global: bool = False
    signals: bool = False


@record
class Expect(Stmt):
    """(fold) The present generation expects bytes from a copy besides; `cluster`: that of every block does."""

    slot: SlotRef
    unit: Unit
    bytes: int
    cluster: bool = False


@record
class Sync(Stmt):
    """A barrier of a unit. (barriers) `publishes`: ordinary writes before it become visible to the async proxy, and
    those to global memory where `publishes_global`."""

    unit: Unit
    publishes: bool = False
    publishes_global: bool = False
