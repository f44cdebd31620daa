"""Rule `yield-in-loop`: a thread leaves that barriers or events of the loop count on (reference, 4.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import around
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Severity

_LOOPS = (ast.Foreach, ast.While)
_AROUND = (*_LOOPS, ast.Parallel, ast.InThreads)


def _render(finding: Finding, subject: Subject) -> Words:
    what = finding.args["what"]
    needed = "a barrier" if what == "barrier" else "an event"
    message = f"'yield' leaves the kernel, but {needed} of this loop counts on all that take turns of it"
    if what == "local event":
        message = "'yield' leaves the kernel from a loop with events, which may end with 'break' alone"
    inside = [node for node in around(subject, finding.span) if isinstance(node, _AROUND)]
    loops = [node for node in inside if isinstance(node, _LOOPS)]
    role = any(isinstance(node, ast.InThreads) for node in inside)
    if not role or len(loops) > 1 or inside[-1] is not loops[0] or what == "barrier":
        return Words(message, "guard with 'if' what this thread shall not do, or leave before the loop")
    fixes = replace(subject, "Leave the loop with 'break'", finding.span, r"(yield)\s*;", "break")
    return Words(message, "end the loop with 'break' in each role, or leave before it", fixes=fixes)


RULE = Rule(
    name="yield-in-loop",
    severity=Severity.ERROR,
    summary="A thread leaves the kernel in a loop with barriers or events, which count on it.",
    rows=(),
    render=_render,
)
