"""Rule `multiply-operand`: an operand of a multiply has no constant rows and columns (reference, X01, 6.2, 6.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    which = str(finding.args["operand"]).upper()
    reason, rank = finding.args["reason"], finding.args["rank"]
    if reason == "rank":
        message = f"operand {which} has rank {rank}, a multiply takes tiles of rank 2"
        return Words(message, "take a view with rows and columns, for example with '.sqz' or '.span_as'")
    if reason == "store":
        message = f"an accumulator has rows and columns, the destination has rank {rank}"
        return Words(message, "store into data of rank 2, for example with '.span_as'")
    if reason in ("global", "local"):
        hint = "copy it into shared memory, or load it with 'mma.load'"
        return Words(f"operand {which} is in {reason} memory, a multiply reads shared memory or fragments", hint)
    return Words(f"the size of operand {which} is not constant", "cut a tile of constant size with '.subspan'")


RULE = Rule(
    name="multiply-operand",
    severity=Severity.ERROR,
    summary="An operand of a multiply has no constant rows and columns, or is where no multiply reads.",
    rows=("X01",),
    render=_render,
)
