"""Probes in the pipeline IR: places of a kernel whose time is taken; `ir` offers them too. Must not choose places.

Immutable, as all of the IR. No pass knows them: `probes` puts them into a kernel that has passed them all.
"""

from __future__ import annotations

from croqc.pipe.exprs import Expr
from croqc.pipe.ir_control import Stmt
from croqc.text.record import record
from croqc.text.span import NOWHERE, Span


@record
class Probe(Stmt):
    """Runs `body`, and records from when to when. `site`: its number in the kernel, from 1; `slot` and `turn`: what the
    record says besides, the slot that it concerns and the variable of the innermost loop."""

    site: int
    slot: Expr
    turn: Expr
    body: tuple[Stmt, ...]


@record
class ProbeSite:
    """A place. `op` as in `flow.report.Step`; `event_span`: the name's place of the event that it waits for or arrives
    on, NOWHERE for none; `bytes`: which an arrival announces; `buffer`: the shared tensor that it touches, `leaves`: a
    copy out of it; `slotted`: its records name a slot; `loop`: the variable of the innermost loop around it, empty
    outside loops. Spans are relative to the function."""

    op: str
    span: Span
    event_span: Span = NOWHERE
    bytes: int = 0
    buffer: str = ""
    leaves: bool = False
    slotted: bool = False
    loop: str = ""


@record
class Recorder:
    """A path and the one of its threads that records."""

    path: str
    thread: int


@record
class Probes:
    """What a kernel with probes records: `sites` by number, from 1, and who does."""

    sites: tuple[ProbeSite, ...]
    recorders: tuple[Recorder, ...]
