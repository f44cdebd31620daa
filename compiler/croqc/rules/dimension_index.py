"""Rule `dimension-index`: a dimension is named that does not exist (reference, S07, 3.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    rank = int(str(finding.args["r"]))
    known = "the only one is 0" if rank == 1 else f"they count from 0 to {rank - 1}"
    return Words(f"dimension {finding.args['k']} does not exist, the rank is {rank}", known)


RULE = Rule(
    name="dimension-index",
    severity=Severity.ERROR,
    summary="A dimension is named that does not exist.",
    rows=("S07",),
    render=_render,
)
