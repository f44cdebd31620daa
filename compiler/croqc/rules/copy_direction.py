"""Rule `copy-direction`: a copy cannot go from this memory to that one (reference, D06, 5.3, 5.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_OUTSIDE = ("host", "global")
_ASYNC = r"(?:\w+\s*=\s*)?dma\s*\.[^;=]*?(\s*\.\s*async)\b"


def _render(finding: Finding, subject: Subject) -> Words:
    source, dest, op = (str(finding.args[key]) for key in ("source", "dest", "op"))
    is_async = bool(finding.args["is_async"])
    message = f"'{op}{'.async' if is_async else ''}' cannot copy from {source} to {dest} memory here"
    if op.startswith("tma"):
        return Words(message, "TMA moves tiles between global and shared memory; 'dma' does the others", fixes=())
    if source in _OUTSIDE and dest in _OUTSIDE:
        return Words(message, "copy into shared memory first, then out again")
    if is_async:
        fixes = replace(subject, "Remove '.async'", finding.span, _ASYNC, "")
        return Words(message, "only copies out of global memory run asynchronously", fixes=fixes)
    return Words(message, "shared and local memory exist only inside 'parallel'")


RULE = Rule(
    name="copy-direction",
    severity=Severity.ERROR,
    summary="A copy cannot go from this memory to that one.",
    rows=("D06",),
    render=_render,
)
