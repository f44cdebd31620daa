"""Rule `chunk-remainder`: the chunks leave trailing elements out (reference, V08, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    rest, size, chunks, dim = (finding.args[key] for key in ("r", "s", "f", "d"))
    elements = "1 trailing element is" if rest == 1 else f"{rest} trailing elements are"
    return Words(
        f"{elements} never visited: dimension {dim} has {size}, cut into {chunks} chunks",
        "use 'subspan' with 'cdiv'",
    )


RULE = Rule(
    name="chunk-remainder",
    severity=Severity.WARNING,
    summary="The chunks leave trailing elements out.",
    rows=("V08",),
    render=_render,
)
