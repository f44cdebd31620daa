"""Rule `compose-operands`: '#' or a relative of it combines something other than indices (reference, S15, 3.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    op, first, second = (str(finding.args[key]) for key in ("op", "t1", "t2"))
    if op == "#":
        return Words(
            f"compose takes two bounded integers, got '{first}' and '{second}'",
            "write 'a * n + b' for integers without a bound",
        )
    return Words(
        f"'{op}' takes a bounded integer and an integer, got '{first}' and '{second}'",
        f"write '{op[1:]}' to compute with the value",
    )


RULE = Rule(
    name="compose-operands",
    severity=Severity.ERROR,
    summary="'#' or a relative of it combines something other than indices.",
    rows=("S15",),
    render=_render,
)
