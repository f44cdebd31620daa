"""Rule `stale-buffer`: a future's data is that of another tile, or of none (reference, F06; credit-flow, section 4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_sites import code_of
from croqc.rules.credit_words import at
from croqc.rules.handle_mends import exchanged
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    args, name = finding.args, finding.args["name"]
    if args["why"] == "empty":
        message = f"{args['path']} uses '{name}' before a copy is assigned to it{at(args)}"
        return Words(message, f"assign a copy to '{name}' first")
    message = f"'{name}' still names the tile of an earlier turn here{at(args)}"
    hint = "exchange the handles of every operand at the end of each turn"
    return Words(message, hint, fixes=exchanged(code_of(subject), finding))


RULE = Rule(
    name="stale-buffer",
    severity=Severity.ERROR,
    summary="A future's data is that of another tile, or of none.",
    rows=("F06",),
    render=_render,
)
