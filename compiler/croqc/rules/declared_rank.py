"""Rule `declared-rank`: the declared rank is not that of the value (reference, S03, 3.2)."""

from __future__ import annotations

import re

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import around, change
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.span import Span

_RANK = re.compile(r"<\s*(\d+)\s*>")


def _render(finding: Finding, subject: Subject) -> Words:
    declared, rank = finding.args["a"], finding.args["b"]
    return Words(
        f"declared with rank {declared}, has rank {rank}",
        "leave '<N>' out, or write the rank that the value has",
        fixes=_change_rank(finding, subject),
    )


def _change_rank(finding: Finding, subject: Subject) -> tuple[Fix, ...]:
    for node in around(subject, finding.span):
        if isinstance(node, ast.ShapeDecl | ast.TupleDecl):
            found = _RANK.search(subject.text, node.span.start, finding.span.start)
            if found is not None:
                rank = str(finding.args["b"])
                return change(f"Change the rank to {rank}", Span(found.start(1), found.end(1)), rank)
    return ()


RULE = Rule(
    name="declared-rank",
    severity=Severity.ERROR,
    summary="The declared rank is not that of the value.",
    rows=("S03",),
    render=_render,
)
