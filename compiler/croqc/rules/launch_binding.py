"""Rule `launch-binding`: '.async' or a stream is misused at a launch (reference, L09, 4.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    name = finding.args["name"]
    match finding.args["reason"]:
        case "inner-async":
            fixes = replace(subject, "Remove '.async'", finding.span, r"[^{]*?parallel(\s*\.\s*async)", "", safe=True)
            return Words("only the outermost 'parallel' is a launch that can be '.async'", "remove it", fixes=fixes)
        case "inner-stream":
            return Words("only the outermost 'parallel' is launched on a stream", f"move '<{name}>' to it")
        case _:
            hint = "streams are parameters: 'stream s'"
            return Words(f"'{name}' is of type '{finding.args['found']}', a stream is needed", hint)


RULE = Rule(
    name="launch-binding",
    severity=Severity.ERROR,
    summary="'.async' or a stream is misused at a launch.",
    rows=("L09",),
    render=_render,
)
