"""Rule `block-threads`: a block has more threads than the hardware allows (reference, L06, 4.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    threads, limit = finding.args["threads"], finding.args["limit"]
    return Words(f"{threads} threads in one block, at most {limit} are possible", "use more blocks of fewer threads")


RULE = Rule(
    name="block-threads",
    severity=Severity.ERROR,
    summary="A block has more threads than the hardware allows.",
    rows=("L06",),
    render=_render,
)
