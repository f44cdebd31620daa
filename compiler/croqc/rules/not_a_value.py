"""Rule `not-a-value`: an event or a future is used as a value (reference, T18)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, type_ = str(finding.args["name"]), str(finding.args["t"])
    what = f"'{name}' is" if name else "this is"
    hint = "events are for 'wait' and 'trigger'" if "event" in type_ else "read what it copied with '.data.at(...)'"
    return Words(f"{what} of type '{type_}', a value is needed", hint)


RULE = Rule(
    name="not-a-value",
    severity=Severity.ERROR,
    summary="An event or a future is used as a value.",
    rows=("T18",),
    render=_render,
)
