"""Rule `swizzle-mismatch`: a buffer is written and read with different swizzles (reference, D13, 5.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _bytes(count: object) -> str:
    return f"{count} bytes" if count else "nothing"


def _render(finding: Finding, subject: Subject) -> Words:
    here, there, buffer = (finding.args[key] for key in ("here", "there", "buffer"))
    pattern = r"\.?\s*swiz(?:zle)?\s*[<(]\s*(\d+)"
    fixes = replace(subject, f"Change to {there}", finding.span, pattern, str(there)) if there else ()
    return Words(
        f"'{buffer}' is swizzled by {_bytes(there)} elsewhere, by {_bytes(here)} here",
        "the elements would be mixed up; write the same on both sides",
        fixes=fixes,
    )


RULE = Rule(
    name="swizzle-mismatch",
    severity=Severity.ERROR,
    summary="A buffer is written and read with different swizzles.",
    rows=("D13",),
    render=_render,
)
