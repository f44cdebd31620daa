"""Faults that no run is needed for: block-wide barriers in a role, events that nobody waits for (credit-flow, 4)."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.flow.machine import Setting
from croqc.flow.ops_events import Trigger, WaitEvent
from croqc.flow.program import Event, Meet, Program
from croqc.flow.report import FlowFinding
from croqc.sema.model import Model
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Related


def judge_statics(model: Model, setting: Setting) -> Iterator[FlowFinding]:
    yield from _barriers(setting)
    yield from _unused(model, setting.program)


def _barriers(setting: Setting) -> Iterator[FlowFinding]:
    for op in setting.program.ops:
        if not isinstance(op, Meet) or op.role is None or not op.role.is_async:
            continue
        outside = [path for path in setting.paths if path.regions.get(op.role) is False]
        if outside:
            yield FlowFinding(
                "block-sync-in-role",
                op.span,
                {"path": outside[0].name, "paths": tuple(path.name for path in outside)},
                (Related("only these threads come here", op.role.cond.span),),
            )


def _unused(model: Model, program: Program) -> Iterator[FlowFinding]:
    for event in program.events:
        waited = any(isinstance(op, WaitEvent) and op.ref.event is event for op in program.ops)
        if waited or event.symbol in model.mentioned or _is_named_elsewhere(model, event):
            continue
        sites = [
            op.span for op in program.ops if isinstance(op, Trigger) and any(ref.event is event for ref in op.refs)
        ]
        yield FlowFinding(
            "unused-event",
            event.span,
            {"event": event.symbol.name, "triggered": bool(sites)},
            tuple(Related("triggered here", span) for span in sites[:3]),
        )


def _is_named_elsewhere(model: Model, event: Event) -> bool:
    """Whether something but waits, triggers and copies names the event, or a wait that was not understood."""
    for node in walk(model.function.body):
        if isinstance(node, ast.CallStmt | ast.While | ast.Cpp | ast.Asm | ast.Wait):
            names = (name for name in walk(node) if isinstance(name, ast.Name))
            if isinstance(node, ast.While):
                names = (name for name in walk(node.cond) if isinstance(name, ast.Name))
            if any(model.uses.get(name) is event.symbol for name in names):
                return True
    return False
