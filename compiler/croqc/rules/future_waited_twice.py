"""Rule `future-waited-twice`: one transfer is waited for or bound a second time (reference, F04)."""

from __future__ import annotations

from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_edits import is_plain
from croqc.rules.credit_sites import Loop, code_of
from croqc.rules.credit_words import at, fix
from croqc.rules.flow_places import Seat, ended, inside, nodes_at, renews, seat_of, symbols
from croqc.rules.handle_mends import without
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit


def _render(finding: Finding, subject: Subject) -> Words:
    args, name = finding.args, finding.args["name"]
    message = f"{args['path']} waits for '{name}' a second time{at(args)}"
    code = code_of(subject)
    seat = seat_of(code, finding.span)
    if seat is not None and isinstance(seat.stmt, ast.Trigger):
        message = f"{args['path']} binds '{name}', which it has waited for or bound already{at(args)}"
    hint = "a transfer ends once: leave one of them out, or wait for the event that it is bound to"
    return Words(message, hint, fixes=() if seat is None else _fixes(code, finding, seat))


def _fixes(code: Code, finding: Finding, seat: Seat) -> tuple[Fix, ...]:
    if isinstance(seat.stmt, ast.Trigger):
        return _unwaited(code, seat, seat.stmt)
    named = next((one for one in nodes_at(code, finding.span) if isinstance(one, ast.Wait)), None)
    future = next(iter(symbols(code, [one for one in named.refs if one.span == finding.span])), None) if named else None
    if named is None or future is None or seat.stmt is not named or not is_plain(code, named, "wait"):
        return ()
    again = [one for one in symbols(code, named.refs) if ended(code, seat.before, one)]
    if future in again:
        return fix("Leave the second wait out", (without(code, named, again),))
    loop = next((one for one in reversed(nodes_at(code, finding.span)) if isinstance(one, Loop)), None)
    outer = None if loop is None else seat_of(code, loop.span)
    renewed = loop is not None and any(renews(code, stmt, future) for stmt in inside(loop.body))
    if outer is None or outer.stmt is not loop or renewed:
        return ()
    return fix(
        f"Wait for '{future.name}' in front of the loop",
        (code.before(loop, f"wait {future.name};"), without(code, named, [future])),
    )


def _unwaited(code: Code, seat: Seat, trigger: ast.Trigger) -> tuple[Fix, ...]:
    """The trigger binds what a statement in front of it waits for: the wait is left out."""
    bound = symbols(code, trigger.after)
    edits: list[Edit] = []
    for stmt in seat.before:
        if isinstance(stmt, ast.Wait) and any(symbol in bound for symbol in symbols(code, stmt.refs)):
            if not is_plain(code, stmt, "wait"):
                return ()
            edits.append(without(code, stmt, bound))
    return fix("Leave the wait out", tuple(edits))


RULE = Rule(
    name="future-waited-twice",
    severity=Severity.ERROR,
    summary="One transfer is waited for or bound a second time.",
    rows=("F04",),
    render=_render,
)
