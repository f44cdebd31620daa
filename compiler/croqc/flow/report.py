"""What the credit-flow analysis says of a kernel: facts, verdict, findings and runs. Pure data; must not analyse.

Rules word the findings, hovers and `croq flow` show the facts. Every span is relative to the function.
Generations and iterations count from 0 (credit-flow, sections 2 and 7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from croqc.flow.limit import Note
from croqc.flow.paths import Path
from croqc.sema.model import Kernel, Symbol
from croqc.sema.slot_text import subscripts
from croqc.text.diagnostics import Related
from croqc.text.record import record
from croqc.text.span import Span

Slot = tuple[str, int | None]  # of a buffer; None where it has only one


class Strength(Enum):
    """How far a verdict reaches: for every size, up to a size, against the kernel, or nowhere."""

    PROVED = "proved"
    CHECKED = "checked"
    FAILS = "fails"
    UNKNOWN = "unknown"


@record
class Step:
    """One thing that happened in the abstract run, in order.

    `op` is wait, trigger, copy, land, read, write, multiply, commit, wait-future, select, swap, rotate, join or
    bootstrap (one that grants a credit at start). `iteration` holds the reader's own loop names, outermost first.
    `slot`, `generation`, `parity`, `pending` (arrivals still missing) and `bytes` (still outstanding) are those of
    `event` after the step; `parity` of a wait is the one waited for. For accesses `slot` is that of `buffer`. `shape`:
    the extents of the array that `slot` numbers. `leaves`: a copy goes out to global memory: `buffer` is what it reads.
    `fills` and `reads`: every (buffer, slot) that an access writes and reads. The bytes of a copy are None where they
    follow sizes, too. `landed`: the place of a copy that lands on `event`, as a reader writes it.
    """

    t: int
    path: str
    op: str
    span: Span
    iteration: tuple[tuple[str, int], ...] = ()
    event: str = ""
    slot: int | None = None
    generation: int | None = None
    parity: int | None = None
    pending: int | None = None
    bytes: int | None = None
    buffer: str = ""
    shape: tuple[int, ...] = ()
    leaves: bool = False
    fills: tuple[Slot, ...] = ()
    reads: tuple[Slot, ...] = ()
    landed: str = ""

    @property
    def subscripts(self) -> str:
        """The slot as a reader writes it; empty without one, and for an event that is no array."""
        return "" if self.event and not self.shape else subscripts(self.slot, self.shape)

    @property
    def place(self) -> str:
        """The buffer of an access or a copy, with its slot as a reader writes it."""
        return self.landed or (self.buffer if self.event else self.buffer + self.subscripts if self.buffer else "")


@dataclass(frozen=True, slots=True)
class EventFacts:
    """An event of the kernel. `shape`: the extents of its array. `arrivals`: A of each slot; `waiting`: the paths that
    can wait on it. `granted_by`: sites that give credits at start.

    `triggered_by` and `waited_by`: (path name, place) of every site that a path reaches.
    """

    name: str
    symbol: Symbol
    slots: int
    arrivals: tuple[int, ...]
    ready: bool
    span: Span
    granted_by: tuple[Span, ...] = ()
    triggered_by: tuple[tuple[str, Span], ...] = ()
    waited_by: tuple[tuple[str, Span], ...] = ()
    shape: tuple[int, ...] = ()
    waiting: tuple[frozenset[str], ...] = ()


@dataclass(frozen=True, slots=True)
class BufferFacts:
    """A stage buffer; slots packed in one buffer count as its slots. `slot_bytes`: None where the extents follow sizes.
    `shape`: the extents of an array.
    """

    name: str
    symbol: Symbol
    slots: int
    slot_bytes: int | None
    span: Span
    shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FlowFinding:
    """A fault. `related` tells the story: who waits, for which generation, who owes it and where that path stands.

    `sizes` is the instance that shows it, `steps` its run up to the fault.
    """

    rule: str
    span: Span
    args: Mapping[str, object] = field(default_factory=dict)
    related: tuple[Related, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class KernelFlow:
    """The analysis of one kernel.

    `tried` is empty or says how far a CHECKED verdict reaches ("K up to 4096"), or a PROVED one ("up to 2^20").
    `reason` and `place` say why it is UNKNOWN, or reaches no farther. `notes` are islands and the like that were read
    as empty. `steps` and `edges` (step numbers: what the second one needs from another path) show a
    small representative instance, `sizes` its values.
    `spent`: the abstract steps that the verdict took.
    """

    kernel: Kernel
    strength: Strength
    tried: str = ""
    reason: str = ""
    place: Span | None = None
    paths: tuple[Path, ...] = ()
    events: tuple[EventFacts, ...] = ()
    buffers: tuple[BufferFacts, ...] = ()
    findings: tuple[FlowFinding, ...] = ()
    steps: tuple[Step, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    spent: int = 0

    def called(self, path: str, place: Span) -> str:
        """What the path of that name is called at a place."""
        found = next((one for one in self.paths if one.name == path), None)
        return path if found is None else found.name_at(place)
