"""Rule `unnamed-async-copy`: an asynchronous copy has no name (reference, F01, 5.4)."""

from __future__ import annotations

from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_edits import is_plain
from croqc.rules.credit_sites import code_of
from croqc.rules.credit_words import fix
from croqc.rules.rewrites import node_at, replace
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    pattern = r"(?:dma|tma)[^;=]*?(\s*\.\s*async)\b(?!\s*<)"
    fixes = replace(subject, "Remove '.async'", finding.span, pattern, "")
    code, copy = code_of(subject), node_at(subject, finding.span, ast.Copy)
    name = "f" if copy is None else _name(code, copy)
    told = None if copy is None else _trigger_behind(code, copy)
    if copy is None or told is None:
        return Words("nobody can wait for this copy", f"give it a name: '{name} = ...; wait {name};'", fixes=fixes)
    hint = (
        f"give it a name for the trigger: '{name} = ...; trigger {code.of(told.refs[0])} after {name};', with no wait"
    )
    return Words("nobody can wait for this copy", hint, fixes=(*fixes, *_named(code, copy, told, name)))


def _name(code: Code, copy: ast.Copy) -> str:
    """A name of its own: one that another copy has is waited for there, and must not be waited for twice."""
    taken: list[str] = []
    for node in code.around:
        if isinstance(node, ast.Copy) and node.is_async and node.target is None and node.event is None:
            taken.append(code.fresh("f", taken))
            if node is copy:
                return taken[-1]
    return code.fresh("f", taken)


def _trigger_behind(code: Code, copy: ast.Copy) -> ast.Trigger | None:
    """The next statement of its block that waits or triggers, if that triggers one event."""
    block = code.blocks.get(copy)
    later = () if block is None else block.stmts[block.stmts.index(copy) + 1 :]
    found = next((stmt for stmt in later if not isinstance(stmt, ast.Copy)), None)
    return found if isinstance(found, ast.Trigger) and len(found.refs) == 1 and code.written(found) else None


def _named(code: Code, copy: ast.Copy, told: ast.Trigger, name: str) -> tuple[Fix, ...]:
    if not is_plain(code, copy, "dma|tma") or not is_plain(code, told, "trigger"):
        return ()
    end = (told.after or told.refs)[-1].span.end
    joint = ", " if told.after else " after "
    edits = Edit(Span(copy.span.start, copy.span.start), f"{name} = "), Edit(Span(end, end), f"{joint}{name}")
    return fix(f"Name it '{name}', which the trigger tells of", edits)


RULE = Rule(
    name="unnamed-async-copy",
    severity=Severity.ERROR,
    summary="An asynchronous copy has no name.",
    rows=("F01",),
    render=_render,
)
