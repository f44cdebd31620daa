"""Waits that report where they stand: their numbers, and what a kernel needs for it. Must not print statements.

A record is written by the kernel (`include/croq/report.cuh`) and read by whoever started it; the site's number is all
that both know of the source.
"""

from __future__ import annotations

from croqc.codegen.own import Own
from croqc.pipe import ir
from croqc.text.record import record
from croqc.text.span import Span

RECORD_WORDS = 8  # site, slot, generation, parity, state, block, thread and an empty one, u32 each


@record
class WaitSite:
    """A wait; `span` relative to the function. `kernel`: the number of its kernel in the unit; `event_span`: the name's
    place, which says which event it is."""

    kernel: int
    event: str
    event_span: Span
    slots: int
    span: Span


class Sites:
    """The waits of a unit by number, counted from 1."""

    def __init__(self) -> None:
        self.found: list[WaitSite] = []
        self.kernels = 0

    def begin(self) -> None:
        """The waits that follow are the next kernel's."""
        self.kernels += 1

    def add(self, event: ir.Event, span: Span) -> int:
        """The number of a wait of this kernel."""
        self.found.append(WaitSite(self.kernels - 1, event.name, event.span, event.slots, span))
        return len(self.found)


def report_name(kernel: ir.Kernel) -> str:
    """The parameter that holds the report."""
    return Own(kernel)("report")


def counter(kernel: ir.Kernel, event: ir.Event) -> str:
    """The variable that counts how many of a path's waits on each slot have passed."""
    return Own(kernel)(f"{event.name}_generations")
