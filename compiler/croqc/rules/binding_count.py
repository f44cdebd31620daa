"""Rule `binding-count`: the names of a binding are not as many as its dimensions (reference, S16, 3.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    names, dims = finding.args["a"], finding.args["b"]
    return Words(
        f"{names} name{'' if names == 1 else 's'} for {dims} dimension{'' if dims == 1 else 's'}",
        "give each dimension one name",
    )


RULE = Rule(
    name="binding-count",
    severity=Severity.ERROR,
    summary="The names of a binding are not as many as its dimensions.",
    rows=("S16",),
    render=_render,
)
