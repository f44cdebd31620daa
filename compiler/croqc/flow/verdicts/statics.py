"""Faults that no run is needed for: block-wide barriers in a role, events that nobody waits for (credit-flow, 4)."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.flow.facts import may_run
from croqc.flow.ops_control import Meet
from croqc.flow.ops_events import Trigger, WaitEvent
from croqc.flow.program import Op
from croqc.flow.report import FlowFinding
from croqc.flow.run import Setting
from croqc.sema.model import Model, Symbol
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Related
from croqc.text.span import Span


def judge_statics(model: Model, setting: Setting) -> Iterator[FlowFinding]:
    yield from _barriers(setting)
    yield from _unused(model, setting)


def _barriers(setting: Setting) -> Iterator[FlowFinding]:
    for op in setting.program.ops:
        if not isinstance(op, Meet) or op.role is None or not op.role.is_async:
            continue
        outside = [path for path in setting.paths if op.top not in path.apart and not may_run(path, op)]
        if outside:
            yield FlowFinding(
                "block-sync-in-role",
                op.span,
                {"path": outside[0].name, "paths": tuple(path.name for path in outside)},
                (Related("only these threads come here", op.role.cond.span),),
            )


def _unused(model: Model, setting: Setting) -> Iterator[FlowFinding]:
    """Events for which no path waits; a wait in a region that no path runs is none."""
    program = setting.program
    waits = [op for op in program.ops if isinstance(op, WaitEvent)]
    waited = {op.ref.event.number for op in waits if _is_run(setting, op)}
    idle = [event for event in program.events if event.number not in waited]
    named = _named_elsewhere(model, {op.ref.span for op in waits}) if idle else frozenset()
    for event in idle:
        if event.symbol in model.mentioned or event.symbol in named:
            continue
        triggers = (op for op in program.ops if isinstance(op, Trigger) and _is_run(setting, op))
        sites = [op.span for op in triggers if any(ref.event is event for ref in op.refs)]
        empty = [op.role.cond.span for op in waits if op.ref.event is event and op.role is not None]
        yield FlowFinding(
            "unused-event",
            event.span,
            {"event": event.symbol.name, "triggered": bool(sites)},
            (
                *(Related("triggered here", span) for span in sites[:3]),
                *(Related("the wait is in a region that no thread enters", span) for span in empty[:3]),
            ),
        )


def _is_run(setting: Setting, op: Op) -> bool:
    """Whether some path may enter the region of a step."""
    return op.role is None or any(may_run(path, op) for path in setting.paths)


def _named_elsewhere(model: Model, followed: set[Span]) -> frozenset[Symbol]:
    """What calls, islands and conditions of `while` name, and waits that were not understood."""
    found: set[Symbol] = set()
    for node in walk(model.function.body):
        if isinstance(node, ast.CallStmt | ast.While | ast.Cpp | ast.Asm | ast.Wait):
            parts: tuple[ast.Node, ...] = (node.cond if isinstance(node, ast.While) else node,)
            if isinstance(node, ast.Wait):
                parts = tuple(ref for ref in node.refs if ref.span not in followed)
            names = (name for part in parts for name in walk(part) if isinstance(name, ast.Name))
            found |= {symbol for name in names if (symbol := model.uses.get(name)) is not None}
    return frozenset(found)
