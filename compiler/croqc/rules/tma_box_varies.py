"""Rule `tma-box-varies`: the size of a TMA tile depends on an index (reference, D09, 5.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import use_dma
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    fixes = use_dma(subject, finding.span)
    hint = "the size must be known at the launch; use 'dma'"
    return Words(f"the size of this TMA tile depends on '{finding.args['index']}'", hint, fixes=fixes)


RULE = Rule(
    name="tma-box-varies",
    severity=Severity.ERROR,
    summary="The size of a TMA tile depends on an index.",
    rows=("D09",),
    render=_render,
)
