"""Rule `misplaced-sync`: a synchronisation is not possible at its place (reference, L20, 4.7)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import remove_statement, replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    what = finding.args["what"]
    match finding.args["reason"]:
        case "host":
            return Words(f"'{what}' is only possible inside 'parallel'", "the host waits with 'sync.global'")
        case "device":
            hint = "inside a kernel 'sync.shared' is the barrier of the block"
            fixes = replace(subject, "Change to 'sync.shared'", finding.span, r"sync\s*\.\s*(global)", "shared")
            return Words(f"'{what}' waits for the device and is only possible on the host", hint, fixes=fixes)
        case "local":
            fixes = remove_statement(subject, "Remove it", finding.span, safe=True)
            return Words(f"'{what}' has no effect: no other thread sees local memory", "remove it", fixes=fixes)
        case _:
            return Words(f"'{what}' needs a cooperative launch", "write ': block<cooperative>' at the kernel")


RULE = Rule(
    name="misplaced-sync",
    severity=Severity.ERROR,
    summary="A synchronisation is not possible at its place.",
    rows=("L20",),
    render=_render,
)
