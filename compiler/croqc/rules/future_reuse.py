"""Rule `future-reuse`: a name of a transfer is given another one that it cannot hold (reference, F05, 5.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_PROPERTIES = {"type": "element type", "shape": "shape", "storage": "storage"}


def _render(finding: Finding, _: Subject) -> Words:
    name, reason = finding.args["name"], str(finding.args["reason"])
    if reason == "redefined":
        return Words(f"'{name}' names another copy already", "declare it with 'dma.any' to assign it more than once")
    message = f"'{name}' held a transfer with another {_PROPERTIES.get(reason, reason)}"
    return Words(message, "a placeholder takes transfers of one type, shape and storage")


RULE = Rule(
    name="future-reuse",
    severity=Severity.ERROR,
    summary="A name of a transfer is given another one that it cannot hold.",
    rows=("F05",),
    render=_render,
)
