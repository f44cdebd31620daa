"""Pass phases: which bit a wait tests.

A path's k-th wait on a slot tests parity k & 1. It keeps k & 1 itself, one bit a slot in one word an event, flipped
after each wait: no division, and right for rings that restart at any slot. A wait by order tests `(order / N) & 1`.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.walk import rewrite
from croqc.text.record import replace

_BITS = 64


def phases(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    named: dict[str, str] = {}

    def change(stmt: ir.Stmt) -> tuple[ir.Stmt, ...]:
        if not isinstance(stmt, ir.Wait) or stmt.slot.ordered:
            return (stmt,)
        event, slots = stmt.slot.event, kernel.event(stmt.slot).slots
        if slots > _BITS:
            raise LoweringError(
                f"'{event}' has {slots} slots; waits by slot number take up to {_BITS}: use fewer, or wait by order",
                stmt.span,
            )
        named.setdefault(event, f"{event}_phase")
        return (replace(stmt, phase=named[event]),)

    body = rewrite(kernel.body, change)
    made = tuple((name, event) for event, name in named.items())
    return replace(kernel, body=body, phases=(*kernel.phases, *made))
