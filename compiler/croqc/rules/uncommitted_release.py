"""Rule `uncommitted-release`: a slot is given back while a multiply still reads it (reference, X15; credit-flow, 4)."""

from __future__ import annotations

from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_edits import unwrapped
from croqc.rules.credit_sites import code_of
from croqc.rules.credit_words import at, fix
from croqc.rules.flow_places import Seat, inside, node_of, target_of, together, waits_for
from croqc.rules.flow_words import stage
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity


def _render(finding: Finding, subject: Subject) -> Words:
    args = finding.args
    code = code_of(subject)
    multiply = node_of(code, finding.related[0].span, ast.Mma)
    future = target_of(code, multiply)
    message = f"{args['path']} gives {stage(args)} back while its multiply still reads it{at(args)}"
    hint = "end the multiplies with 'mma.commit' before the trigger"
    if future is not None:
        hint = f"wait for '{future.name}' before the trigger"
    return Words(message, hint, fixes=_fixes(code, finding, multiply))


def _fixes(code: Code, finding: Finding, multiply: ast.Mma | None) -> tuple[Fix, ...]:
    found = None if multiply is None else together(code, multiply.span, finding.span)
    if multiply is None or found is None:
        return ()
    seat, future = found[1], target_of(code, multiply)
    if future is not None:
        late = next((stmt for stmt in seat.later if waits_for(code, stmt, [future])), None)
        title = f"Wait for '{future.name}' before the trigger"
        text = f"wait {future.name};"
    elif code.model.ends_at_statement:
        return ()
    else:
        late, title, text = _late_commit(seat), "Commit before the trigger", "mma.commit;"
        guard = next((stmt for stmt in seat.before if isinstance(stmt, ast.If) and _only_commits(stmt)), None)
        if guard is not None and (bare := unwrapped(code, guard)) is not None:
            return fix("Commit in every turn", (bare,), safe=True)
    moved = () if late is None or not code.written(late) else (code.removal(late),)
    return fix(title, (code.before(seat.stmt, text), *moved), safe=True)


def _only_commits(guard: ast.If) -> bool:
    """Whether a condition decides about a commit and nothing else."""
    return guard.other is None and len(guard.then.stmts) == 1 and isinstance(guard.then.stmts[0], ast.MmaCommit)


def _late_commit(seat: Seat) -> ast.Node | None:
    """The commit that closes the same multiplies behind the trigger."""
    for stmt in seat.later:
        if isinstance(stmt, ast.MmaCommit):
            return None if stmt.keep else stmt
        if any(isinstance(node, ast.Mma) for node in inside(stmt)):
            return None
    return None


RULE = Rule(
    name="uncommitted-release",
    severity=Severity.ERROR,
    summary="A slot is given back while a multiply still reads it.",
    rows=("X15",),
    render=_render,
)
