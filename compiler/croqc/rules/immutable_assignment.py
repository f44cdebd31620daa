"""Rule `immutable-assignment`: a name that is not mutable is assigned again (reference, T04, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import make_mutable, may_be_mutable
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_HINTS = {
    "parameter": "copy it into a 'mutable' variable",
    "dimension": "copy it into a 'mutable' variable",
    "parallel index": "the hardware sets it; copy it into a 'mutable' variable",
    "loop index": "its loop sets it; copy it into a 'mutable' variable",
    "future": "declare it with 'dma.any' or 'tma.any' to assign it more than once",
}


def _render(finding: Finding, subject: Subject) -> Words:
    message = f"'{finding.args['name']}' cannot be assigned again"
    declared = finding.related[0].span if finding.related else finding.span
    if may_be_mutable(subject, declared):
        return Words(message, "declare it 'mutable'", fixes=make_mutable(subject, declared))
    return Words(message, _HINTS.get(str(finding.args["kind"]), "use another name"))


RULE = Rule(
    name="immutable-assignment",
    severity=Severity.ERROR,
    summary="A name that is not mutable is assigned again.",
    rows=("T04",),
    render=_render,
)
