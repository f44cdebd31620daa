"""Rule `shared-memory-limit`: a kernel declares more memory than the target has (reference, M04, 3.8)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_SHOWN = 4  # more buffers than that do not help to find the large ones


def _render(finding: Finding, _: Subject) -> Words:
    used, least, limit, storage, target = (finding.args[key] for key in ("used", "least", "limit", "storage", "target"))
    owner = "block" if storage == "shared" else "thread"
    return Words(
        f"{used} bytes of {storage} memory, {target} has {limit} for each {owner}",
        f"make it smaller: {buffer_list(finding, _SHOWN)}"
        + (f"; {least} bytes of them are in use at once" if least != used else ""),
    )


def buffer_list(finding: Finding, shown: int) -> str:
    """`'a' 262144 bytes, 'b' 4096 bytes`: the largest buffers first."""
    buffers = finding.args["buffers"]
    assert isinstance(buffers, tuple)
    parts = [f"'{name}' {size} bytes" for name, size in buffers[:shown]]
    more = [f"{len(buffers) - shown} more"] if len(buffers) > shown else []
    return ", ".join(parts + more)


RULE = Rule(
    name="shared-memory-limit",
    severity=Severity.ERROR,
    summary="A kernel declares more shared or local memory than the target has.",
    rows=("M04",),
    render=_render,
)
