"""Rule `call-gaps`: a view with gaps between its rows is passed to a device function (reference, V12, 3.5, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, function = finding.args["name"], finding.args["function"]
    return Words(
        f"'{function}' gets a part of '{name}' that is not contiguous, as a plain pointer",
        "pass the distance between rows, too, or copy the view into a buffer first",
    )


RULE = Rule(
    name="call-gaps",
    severity=Severity.WARNING,
    summary="A view with gaps between its rows is passed to a device function.",
    rows=("V12",),
    render=_render,
)
