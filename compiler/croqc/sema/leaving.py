"""`yield` in a loop whose barriers or events count on the thread that has left (reference, 4.5).

Needs types. Joins that are not written, as behind an inner `parallel`, are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.nesting import Around, statements
from croqc.sema.types import Event, Storage
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.diagnostics import Related
from croqc.text.span import Span

_LOOPS = (ast.Foreach, ast.While)


def check_leaving(builder: Builder) -> None:
    """One error for each `yield` in a loop of a kernel whose body contains a barrier or an event."""
    for jump, around in statements(builder.function.body):
        if not isinstance(jump, ast.Jump) or jump.word != "yield" or around.on_host:
            continue
        # innermost first: what the nearest loop needs is what the reader sees
        needed = (min(found) for loop in _loops(around) if (found := list(_needed(builder, *loop))))
        if (place := next(needed, None)) is not None:
            start, end, what = place
            counts = "counts on all that take turns of the loop" if what != "local event" else "is in the same loop"
            related = Related(f"this {what} {counts}", Span(start, end))
            builder.report(rules.YIELD_IN_LOOP, jump.span, (related,), what=what)


def _loops(around: Around) -> Iterator[tuple[ast.Foreach | ast.While, bool]]:
    """The loops of the kernel around a statement, innermost first, and whether each stands in a region."""
    for at in range(len(around.chain) - 1, around.chain.index(around.parallels[0]), -1):
        one = around.chain[at]
        if isinstance(one, _LOOPS):
            yield one, any(isinstance(outer, ast.InThreads) for outer in around.chain[:at])


def _needed(builder: Builder, loop: ast.Foreach | ast.While, in_region: bool) -> Iterator[tuple[int, int, str]]:
    """Start and end of each barrier and event of a loop's body; a region without `.async` has a barrier (4.4)."""
    for node, around in statements(loop.body):
        written = isinstance(node, ast.Sync) and node.kind in ("shared", "barrier")
        behind = isinstance(node, ast.InThreads) and not (node.is_async or in_region or around.regions)
        if written or behind:
            yield node.span.start, node.span.end, "barrier"
    for call in nodes_of_kind(loop.body, ast.Call):
        if call.kind == "barrier":
            yield call.span.start, call.span.end, "barrier"
    for name in nodes_of_kind(loop, ast.Name):
        symbol = builder.uses.get(name)
        if symbol is not None and isinstance(symbol.type, Event):
            own = symbol.type.storage is Storage.LOCAL  # of one thread, that nobody else counts on (7.2)
            yield name.span.start, name.span.end, "local event" if own else "event"
