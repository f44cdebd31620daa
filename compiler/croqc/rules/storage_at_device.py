"""Rule `storage-at-device`: a buffer inside the kernel is neither shared nor local (reference, M02, 3.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import around, change, insert
from croqc.sema.model import Finding
from croqc.sema.types import Data
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.span import Span

_HINT = "add 'shared' (one for each block) or 'local' (one for each thread), or move it out"


def _render(finding: Finding, subject: Subject) -> Words:
    name, storage = finding.args["name"], str(finding.args["s"])
    if not name:
        return Words(
            "'global' memory cannot be made inside 'parallel'", "use 'shared' or 'local'", fixes=_change(finding)
        )
    node = next((one for one in reversed(around(subject, finding.span)) if isinstance(one, ast.BufferDecl)), None)
    message = f"'{name}' inside 'parallel' must be 'shared' or 'local'"
    if node is None or not _is_static(subject, node):
        return Words(message, "move it out: buffers of the kernel need constant shapes")
    if storage:
        place = Span(node.span.start, node.span.start + len(storage))
        return Words(message, _HINT, fixes=_change(Finding(finding.rule, place)))
    fixes = tuple(fix for word in ("shared", "local") for fix in insert(f"Add '{word}'", node.span.start, f"{word} "))
    return Words(message, _HINT, fixes=fixes)


def _change(finding: Finding) -> tuple[Fix, ...]:
    return tuple(fix for word in ("shared", "local") for fix in change(f"Make it '{word}'", finding.span, word))


def _is_static(subject: Subject, node: ast.BufferDecl) -> bool:
    symbols = [one for one in subject.analysis.model.symbols if one.decl in node.names]
    return all(
        isinstance(one.type, Data) and all(extent.const is not None for extent in one.type.shape) for one in symbols
    )


RULE = Rule(
    name="storage-at-device",
    severity=Severity.ERROR,
    summary="A buffer inside the kernel is neither shared nor local.",
    rows=("M02",),
    render=_render,
)
