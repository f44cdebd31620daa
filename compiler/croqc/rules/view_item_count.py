"""Rule `view-item-count`: a view operation has more or fewer items than dimensions (reference, V02, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_WITH_WHOLE = ("chunkat", "subspan")


def _render(finding: Finding, _: Subject) -> Words:
    op, rank, count = finding.args["op"], int(str(finding.args["r"])), int(str(finding.args["k"]))
    items = "item" if rank == 1 else "items"
    whole = ", '_' takes a whole extent" if op in _WITH_WHOLE and count < rank else ""
    return Words(f"'{op}' needs {rank} {items}, got {count}", f"write one for each dimension{whole}")


RULE = Rule(
    name="view-item-count",
    severity=Severity.ERROR,
    summary="A view operation has more or fewer items than dimensions.",
    rows=("V02",),
    render=_render,
)
