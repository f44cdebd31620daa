"""Rule `lost-write`: device code writes a parameter that is copied in only (reference, 3.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    name = str(finding.args["name"])
    params = subject.analysis.model.function.params
    places = [item.type.span.end for item in params if item.name is not None and item.name.id == name]
    edits = tuple(Edit(Span(place, place), "&") for place in places[:1])
    fixes = (Fix(f"Pass '{name}' by reference", edits, safe=False),) if edits else ()
    return Words(f"what is written to '{name}' does not reach the caller", "declare it '&' or 'global'", fixes=fixes)


RULE = Rule(
    name="lost-write",
    severity=Severity.WARNING,
    summary="Device code writes a parameter that is copied in only.",
    rows=(),
    render=_render,
)
