"""Rule `dynamic-shared-memory`: a kernel uses more than 48 KiB of shared memory (reference, M05, 3.8)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.shared_memory_limit import buffer_list
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    return Words(
        f"{finding.args['used']} bytes: dynamic shared memory is used, a block has 48 KiB without it",
        buffer_list(finding, 4),
    )


RULE = Rule(
    name="dynamic-shared-memory",
    severity=Severity.INFORMATION,
    summary="More than 48 KiB of shared memory must be asked for at the launch.",
    rows=("M05",),
    render=_render,
)
