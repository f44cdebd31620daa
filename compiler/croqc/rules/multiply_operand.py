"""Rule `multiply-operand`: an operand of a multiply has no constant rows and columns (reference, X01, 6.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    which = str(finding.args["operand"]).upper()
    if finding.args["reason"] == "rank":
        message = f"operand {which} has rank {finding.args['rank']}, a multiply takes tiles of rank 2"
        return Words(message, "take a view with rows and columns, for example with '.sqz' or '.span_as'")
    return Words(f"the size of operand {which} is not constant", "cut a tile of constant size with '.subspan'")


RULE = Rule(
    name="multiply-operand",
    severity=Severity.ERROR,
    summary="An operand of a multiply has no constant rows and columns.",
    rows=("X01",),
    render=_render,
)
