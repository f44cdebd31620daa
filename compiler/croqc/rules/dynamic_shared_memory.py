"""Rule `dynamic-shared-memory`: a kernel uses more than 48 KiB of shared memory (reference, M05, 3.8)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.shared_memory_limit import buffer_list
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    used, limit = finding.args["used"], finding.args["limit"]
    assert isinstance(used, int) and isinstance(limit, int)
    if used > limit:
        return Words(
            f"{used} bytes side by side, and a block has {limit}: 'croq cuda' takes it if those that are never in use "
            "together leave room for the others",
            buffer_list(finding, 4),
        )
    return Words(
        f"{used} bytes: dynamic shared memory is used, a block has 48 KiB without it",
        buffer_list(finding, 4),
    )


RULE = Rule(
    name="dynamic-shared-memory",
    severity=Severity.INFORMATION,
    summary="More than 48 KiB of shared memory must be asked for at the launch.",
    rows=("M05",),
    render=_render,
)
