"""Rule `unconsumed-credit`: at the end, data was published that nobody took (credit-flow, section 4)."""

from __future__ import annotations

from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_edits import is_plain
from croqc.rules.credit_sites import code_of, site_at
from croqc.rules.credit_words import fix, slot
from croqc.sema.model import Finding
from croqc.sema.types import Storage
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity


def _render(finding: Finding, subject: Subject) -> Words:
    args = finding.args
    message = f"generation {args['generation']} of {slot(args)} is published, but {args['path']} never waits for it"
    return Words(message, "trigger it as often as it is waited for", fixes=_fixes(code_of(subject), finding))


def _fixes(code: Code, finding: Finding) -> tuple[Fix, ...]:
    """Leave a trigger outside every loop out, with the waits and loads in front of it that are for it alone."""
    site = site_at(code, finding.span)
    block = code.blocks.get(site.stmt) if site is not None else None
    if site is None or site.loop is not None or block is None or not is_plain(code, site.stmt, "trigger"):
        return ()
    surplus: list[ast.Node] = [site.stmt]
    for stmt in reversed(block.stmts[: block.stmts.index(site.stmt)]):
        if not (isinstance(stmt, ast.Wait) or _is_load(code, stmt)) or not code.written(stmt):
            break
        surplus.append(stmt)
    title = f"Leave this trigger of '{site.event.name}' out" if len(surplus) == 1 else "Leave this turn out"
    return fix(title, tuple(code.removal(stmt) for stmt in surplus))


def _is_load(code: Code, stmt: ast.Node) -> bool:
    info = code.model.copies.get(stmt) if isinstance(stmt, ast.Copy) else None
    return info is not None and info.dest_storage is Storage.SHARED


RULE = Rule(
    name="unconsumed-credit",
    severity=Severity.WARNING,
    summary="Data is published that nobody waits for.",
    rows=(),
    render=_render,
)
