"""Faults that no run is needed for: block-wide barriers in a role, events that nobody waits for (credit-flow, 4)."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.flow.ops_control import Meet
from croqc.flow.ops_events import Trigger, WaitEvent
from croqc.flow.program import Program
from croqc.flow.report import FlowFinding
from croqc.flow.run import Setting
from croqc.sema.model import Model, Symbol
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
    waited = {op.ref.event.number for op in program.ops if isinstance(op, WaitEvent)}
    idle = [event for event in program.events if event.number not in waited]
    named = _named_elsewhere(model) if idle else frozenset()
    for event in idle:
        if event.symbol in model.mentioned or event.symbol in named:
            continue
        triggers = (op for op in program.ops if isinstance(op, Trigger))
        sites = [op.span for op in triggers if any(ref.event is event for ref in op.refs)]
        yield FlowFinding(
            "unused-event",
            event.span,
            {"event": event.symbol.name, "triggered": bool(sites)},
            tuple(Related("triggered here", span) for span in sites[:3]),
        )


def _named_elsewhere(model: Model) -> frozenset[Symbol]:
    """What calls, islands and conditions of `while` name, and waits that were not understood."""
    found: set[Symbol] = set()
    for node in walk(model.function.body):
        if isinstance(node, ast.CallStmt | ast.While | ast.Cpp | ast.Asm | ast.Wait):
            inner = walk(node.cond if isinstance(node, ast.While) else node)
            symbols = (model.uses.get(name) for name in inner if isinstance(name, ast.Name))
            found |= {symbol for symbol in symbols if symbol is not None}
    return frozenset(found)
