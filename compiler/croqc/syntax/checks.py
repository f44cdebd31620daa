"""What only the finished tree shows to be wrong: shape context, `nullptr`, words of CUDA (2.7 item 4, 2.5.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from croqc.syntax import ast as t
from croqc.syntax import launch_words
from croqc.syntax.build import Builder
from croqc.syntax.visit import children
from croqc.text.diagnostics import Diagnostic
from croqc.text.span import Span

# Nodes whose children stand in shape context.
_SHAPE_PARENTS: Final = (t.ShapeLit, t.TupleLit, t.Derive, t.BufferDecl, t.FragDecl, t.ShapeDecl, t.TupleDecl,
                         t.Binding, t.Axis, t.AsmOperand, t.Attribute, t.LaunchBounds)  # fmt: skip


def check(b: Builder, tree: t.Function, findings: list[Diagnostic]) -> None:
    """Add the findings of a tree."""
    for node, shaped, parent in _walk(tree):
        if isinstance(node, t.Chain):
            _check_indices(b, node, shaped)
        elif isinstance(node, t.Const) and node.word == "nullptr" and not isinstance(parent, t.Call | t.Builtin):
            b.report("'nullptr' is an argument only", node.span, "it may be passed to 'call'")
    launch_words.report(b, tree)
    findings += [item for item in b.findings if item not in findings]


def _walk(tree: t.Node) -> Iterator[tuple[t.Node, bool, t.Node | None]]:
    """Every node with whether it stands in shape context, and its parent."""
    stack: list[tuple[t.Node, bool, t.Node | None]] = [(tree, False, None)]
    while stack:
        node, shaped, parent = stack.pop()
        yield node, shaped, parent
        if isinstance(node, _SHAPE_PARENTS) or (isinstance(node, t.Member) and node.name == "span_as"):
            shaped = True
        elif isinstance(node, t.Stmt | t.Call | t.BufferName) or (isinstance(node, t.Member) and node.args):
            shaped = False
        stack += [(child, shaped, node) for child in children(node)]


def _check_indices(b: Builder, chain: t.Chain, shaped: bool) -> None:
    behind_span = False
    for at, suffix in enumerate(chain.suffixes):
        if isinstance(suffix, t.Index):
            if shaped and at and isinstance(chain.suffixes[at - 1], t.Index) and len(suffix.args) > 1:
                b.report("a derived shape takes one bracket", suffix.args[0].span)
                return
            if not shaped and len(suffix.args) > 1:
                one = "][".join(b.source(arg.span) for arg in suffix.args)
                many = ", ".join(b.source(arg.span) for arg in suffix.args)
                first = suffix.args[0].span
                b.report("one index a bracket", first, f"use '[{one}]' for arrays or '.at({many})' for elements")
                return
            if not shaped and behind_span:
                b.report("a shape is not indexed", Span(suffix.span.start, suffix.span.start + 1), "use '.span(i)'")
                return
        behind_span = isinstance(suffix, t.Member) and suffix.name == "span"
