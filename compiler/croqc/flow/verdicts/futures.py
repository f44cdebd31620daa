"""Handles: data read too early or from the wrong tile, waits that are missing or one too many (credit-flow, 4)."""

from __future__ import annotations

from collections.abc import Callable

from croqc.flow.explain import iteration_text
from croqc.flow.ops_data import Copy
from croqc.flow.report import FlowFinding
from croqc.flow.state import Fault, Transfer
from croqc.flow.verdicts.case import Case
from croqc.text.diagnostics import Related


def judge_handles(case: Case) -> FlowFinding | None:
    """Data of the wrong tile, or read too early; a wrong tile explains waits that do not fit."""
    return _stale(case) or _first(case, (("empty-handle", _empty), ("early-read", _early)))


def judge_waits(case: Case) -> FlowFinding | None:
    """Waits that are missing or one too many, where no race tells more."""
    return _first(case, (("overwritten", _overwritten), ("never-waited", _never), ("twice", _twice)))


def _first(case: Case, kinds: tuple[tuple[str, Callable[[Case, Fault], FlowFinding]], ...]) -> FlowFinding | None:
    for kind, tell in kinds:
        for fault in case.machine.faults.values():
            if fault.kind == kind:
                return tell(case, fault)
    return None


def _stale(case: Case) -> FlowFinding | None:
    """A tile that was loaded and never read, while another one of the same data was read in two rounds."""
    if case.machine.stuck():
        return None
    held = [
        (path, handle, transfer)
        for path, handle, transfer in case.machine.held
        if isinstance(transfer.op, Copy) and transfer.op.origin is not None
    ]
    for path, _, transfer in held:
        if transfer.reads < 2 or transfer.again is None:
            continue
        lost = next((other for number, _, other in held if number == path and _replaces(other, transfer)), None)
        if lost is not None:
            return _wrong_tile(case, path, transfer, lost)
    return None


def _replaces(lost: Transfer, used: Transfer) -> bool:
    assert isinstance(lost.op, Copy) and isinstance(used.op, Copy)
    return lost.reads == 0 and lost is not used and lost.op.origin is used.op.origin


def _wrong_tile(case: Case, path: int, transfer: Transfer, lost: Transfer) -> FlowFinding:
    assert transfer.again is not None
    op, env, operand = transfer.again
    where = iteration_text(transfer.op, transfer.env)
    missed = iteration_text(lost.op, lost.env)
    return case.finding(
        "stale-buffer",
        operand.span,
        [
            Related(f"it still holds what was loaded here{f' ({where})' if where else ''}", transfer.op.span),
            Related(f"what was loaded here is never read{f' ({missed})' if missed else ''}", lost.op.span),
        ],
        name=operand.name,
        path=case.name(path, op),
        iteration=iteration_text(op, env),
        why="tile",
    )


def _empty(case: Case, fault: Fault) -> FlowFinding:
    operand = fault.about.get("operand")
    span = operand.span if operand is not None else fault.at.op.span
    name = _handle_name(case, fault.about["handle"])
    return case.finding(
        "stale-buffer", span, (), name=name, path=case.who(fault.at), why="empty",
        iteration=iteration_text(fault.at.op, fault.at.env),
    )  # fmt: skip


def _handle_name(case: Case, handle: int) -> str:
    return case.program.handles.get(handle, "")


def _early(case: Case, fault: Fault) -> FlowFinding:
    assert fault.other is not None
    operand = fault.about.get("operand")
    transfer: Transfer = fault.about["transfer"]
    what = "multiply" if transfer.multiply else "copy"
    related = [case.related(f"the {what} starts here", fault.other)]
    if "named" in fault.about:
        name, place = fault.about["named"]
        related.append(Related(f"'{name}' is only a name for it: the multiply reads", place))
    return case.finding(
        "future-not-waited",
        operand.span if operand is not None else fault.at.op.span,
        related,
        name=operand.name if operand is not None else "",
        why="accumulator" if transfer.multiply else "read",
        path=case.who(fault.at),
        iteration=iteration_text(fault.at.op, fault.at.env),
    )


def _overwritten(case: Case, fault: Fault) -> FlowFinding:
    assert fault.other is not None
    name = _handle_name(case, fault.about["handle"])
    return case.finding(
        "future-not-waited",
        fault.at.op.span,
        [case.related("the transfer before is not waited for", fault.other)],
        name=name,
        why="overwritten",
        path=case.who(fault.at),
        iteration=iteration_text(fault.at.op, fault.at.env),
    )


def _never(case: Case, fault: Fault) -> FlowFinding:
    handle = getattr(fault.at.op, "handle", -1)
    return case.finding(
        "future-not-waited",
        fault.at.op.span,
        (),
        name=_handle_name(case, handle),
        why="never",
        path=case.who(fault.at),
        iteration=iteration_text(fault.at.op, fault.at.env),
    )


def _twice(case: Case, fault: Fault) -> FlowFinding:
    assert fault.other is not None
    return case.finding(
        "future-waited-twice",
        fault.at.op.span,
        [case.related("of this transfer", fault.other)],
        name=_handle_name(case, fault.about["handle"]),
        path=case.who(fault.at),
        iteration=iteration_text(fault.at.op, fault.at.env),
    )
