"""`wait<0> e` loses its phase, where the path's own count gives the same parity (reference, chapter 0 and 2.13).

    wait<0> done;

becomes

    wait done;

if it is the first wait of its path on that event and no loop repeats it: any other written phase is right for
some rounds only. Must not change which generation is waited for.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.refactor.base import Code, Outcome, Refusal
from croqc.sema.types import Event
from croqc.syntax import ast
from croqc.text.edits import Edit
from croqc.text.span import Span

TITLE = "Wait without a written phase"


def sites(code: Code) -> Iterator[ast.Wait]:
    return (stmt for stmt in code.around if isinstance(stmt, ast.Wait) and stmt.phase is not None)


def applies(code: Code, offset: int) -> bool:
    return any(stmt.span.touches(offset) for stmt in sites(code))


def edits(code: Code, stmt: ast.Wait) -> Outcome:
    assert stmt.phase is not None
    value = code.model.values.get(stmt.phase)
    phase = value.const if value is not None else getattr(stmt.phase, "value", None)
    chain = code.around[stmt].chain
    loop = next((node for node in chain if isinstance(node, ast.Foreach | ast.While)), None)
    if loop is not None:
        return Refusal("in a loop the phase changes from round to round; write 'wait e.at(order)'", stmt.op_span)
    for ref in stmt.refs:
        event = code.event_of(ref)
        if event is None or not isinstance(event.type, Event):
            return Refusal("the phase of what is no event", ref.span)
        earlier = [other for other, _ in code.refs(event) if isinstance(other, ast.Wait) and _before(code, other, stmt)]
        if not event.type.ready and phase != len(earlier) % 2:
            return Refusal("the written phase is not that of the generation that the path waits for", stmt.op_span)
    return without_phase(code, stmt)


def without_phase(code: Code, stmt: ast.Wait) -> tuple[Edit, ...]:
    """The edits alone, whatever the path's count is."""
    behind = stmt.op_span.end if stmt.phase is None else stmt.phase.span.end
    return code.replaced(Span(stmt.op_span.start, code.bare.find(">", behind) + 1), "")


def _before(code: Code, other: ast.Wait, stmt: ast.Wait) -> bool:
    """Whether the same region has the other wait in front."""
    return other.span.start < stmt.span.start and code.around[other].regions == code.around[stmt].regions
