"""Rule `thread-tile-in-shared`: threads copy different tiles into one shared buffer (reference, M06, 3.7)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import node_at, replace
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    index, buffer = finding.args["index"], finding.args["buffer"]
    node = node_at(subject, finding.span, ast.Copy)
    message = f"the tile depends on '{index}', the shared buffer does not: threads overwrite each other's tile"
    if node is not None and isinstance(node.dest, ast.StorageDest):
        fixes = replace(subject, "Copy into 'local' memory", node.dest.span, "shared", "local")
        return Words(message, "copy into 'local' memory, or into an array with one buffer for each", fixes=fixes)
    return Words(message, f"give '{buffer}' one tile for each '{index}'")


RULE = Rule(
    name="thread-tile-in-shared",
    severity=Severity.WARNING,
    summary="Threads copy different tiles into one shared buffer.",
    rows=("M06",),
    render=_render,
)
