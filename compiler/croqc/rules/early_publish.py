"""Rule `early-publish`: data is announced while the copy of it is in flight (reference, Q10; credit-flow, 4)."""

from __future__ import annotations

from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_sites import code_of
from croqc.rules.credit_words import at, fix
from croqc.rules.flow_places import Seat, inside, node_of, quoted, settled, target_of, together, waits_for
from croqc.rules.flow_words import stage
from croqc.sema.model import Finding, Symbol
from croqc.sema.types import Storage
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    args = finding.args
    code = code_of(subject)
    copy = node_of(code, finding.related[0].span, ast.Copy)
    future = target_of(code, copy)
    message = f"{args['path']} announces {stage(args)} while its copy is still in flight{at(args)}"
    hint = "trigger when the copy has landed"
    if future is not None:
        hint = f"bind the copy with 'after {future.name}', or wait for '{future.name}' first"
    elif copy is not None and copy.event is not None:
        hint = "let the copy name the slot that is triggered behind it"
    return Words(message, hint, fixes=_fixes(code, finding, copy))


def _fixes(code: Code, finding: Finding, copy: ast.Copy | None) -> tuple[Fix, ...]:
    trigger = node_of(code, finding.span, ast.Trigger)
    found = None if copy is None or trigger is None else together(code, copy.span, trigger.span)
    if copy is None or trigger is None or found is None:
        return ()
    first, last = found
    if copy.event is not None:
        return _renamed(code, copy, trigger, last)
    flying = _in_flight(code, last)
    if target_of(code, copy) not in flying:
        return ()
    for stmt in last.later:
        if waits_for(code, stmt, flying):
            title = "Wait for the copies before the trigger"
            return fix(title, (code.before(last.stmt, code.of(stmt)), code.removal(stmt)))
    safe = last.stmt is trigger and first.stmt is copy and not _used_elsewhere(code, flying)
    bound, waited = _bound(trigger, flying, safe), _waited(code, last, flying, safe)
    old = code.model.dialect in ("classic", "course") and not trigger.after
    return waited + bound if old else bound + waited


def _renamed(code: Code, copy: ast.Copy, trigger: ast.Trigger, seat: Seat) -> tuple[Fix, ...]:
    """Let the copies of the turn that name the wrong slot name the one that is triggered."""
    if len(trigger.refs) != 1 or copy.event is None:
        return ()
    wanted, wrong = code.of(trigger.refs[0]), code.of(copy.event)
    copies = [stmt for stmt in seat.before if isinstance(stmt, ast.Copy) and stmt.event is not None]
    edits = tuple(Edit(one.event.span, wanted) for one in copies if one.event and code.of(one.event) == wrong)
    return fix(f"Complete it on '{wanted}'", edits if ".at" not in wanted else None)


def _in_flight(code: Code, seat: Seat) -> list[Symbol]:
    """The futures of the block's copies into shared memory that nothing has waited for or bound before the trigger."""
    found: list[Symbol] = []
    for stmt in (*seat.before, seat.stmt):
        done = settled(code, [stmt])
        found = [future for future in found if future not in done]
        if stmt is seat.stmt:
            break
        for node in inside(stmt):
            if not isinstance(node, ast.Copy) or not node.is_async or node.event is not None:
                continue
            future, info = target_of(code, node), code.model.copies.get(node)
            if future is not None and info is not None and info.dest_storage is Storage.SHARED and future not in found:
                found.append(future)
    return found


def _used_elsewhere(code: Code, futures: list[Symbol]) -> bool:
    """Whether something in the function waits for one of the futures, binds it or passes it on."""
    if settled(code, [code.model.function.body]) & set(futures):
        return True
    rotated = [node for node in code.around if isinstance(node, ast.Rotate)]
    return any(code.model.uses.get(name) in futures for node in rotated for name in node.names)


def _bound(trigger: ast.Trigger, futures: list[Symbol], safe: bool) -> tuple[Fix, ...]:
    counts = any(isinstance(node, ast.IncDec) for ref in trigger.refs for node in walk(ref))
    if len(trigger.refs) != 1 or (counts and len(futures) + len(trigger.after) > 1):
        return ()
    names = ", ".join(future.name for future in futures)
    end = (trigger.after or trigger.refs)[-1].span.end
    text = f", {names}" if trigger.after else f" after {names}"
    return fix(f"Bind the trigger: 'after {names}'", (Edit(Span(end, end), text),), safe)


def _waited(code: Code, seat: Seat, futures: list[Symbol], safe: bool) -> tuple[Fix, ...]:
    names = ", ".join(future.name for future in futures)
    return fix(f"Wait for {quoted(futures)} before the trigger", (code.before(seat.stmt, f"wait {names};"),), safe)


RULE = Rule(
    name="early-publish",
    severity=Severity.ERROR,
    summary="Data is announced while the copy of it is in flight.",
    rows=("Q10",),
    render=_render,
)
