"""Rule `masked-store`: an accumulator is written only in part (reference, X14, 6.8)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import node_at, replace
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    rows, columns, tile = (finding.args[key] for key in ("rows", "columns", "tile"))
    room = f"{'?' if rows is None else rows}x{'?' if columns is None else columns}"
    hint = "write 'mma.store.mask c, view, rows, columns' if that is meant"
    store = node_at(subject, finding.span, ast.MmaStore)
    known = store is not None and store.form == "" and None not in (rows, columns)
    fixes: tuple[Fix, ...] = ()
    if store is not None and known:
        word = replace(subject, "", store.span, r"mma\s*\.\s*store()(?=\s)", ".mask")
        end = Span(finding.span.end, finding.span.end)
        edits = (*word[0].edits, Edit(end, f", {rows}, {columns}")) if word else ()
        fixes = (Fix("Change to 'mma.store.mask'", edits),) if edits else ()
    return Words(f"the accumulator is {tile}, only {room} of it are written", hint, fixes=fixes)


RULE = Rule(
    name="masked-store",
    severity=Severity.WARNING,
    summary="An accumulator is written only in part.",
    rows=("X14",),
    render=_render,
)
