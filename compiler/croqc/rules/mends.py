"""Fixes that several rules offer: `mutable` on a declaration, an explicit conversion, a new text. No rule's words."""

from __future__ import annotations

from croqc.rules.base import Subject
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.types import Bounded, Scalar
from croqc.syntax import ast
from croqc.syntax.visit import covering
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit
from croqc.text.span import Span


def around(subject: Subject, span: Span) -> tuple[ast.Node, ...]:
    """The nodes that cover a place, from the function down to the innermost one."""
    return tuple(covering(subject.analysis.model.function, span))


def is_written(subject: Subject, span: Span) -> bool:
    """Whether the text at a place is what was parsed, not the use of a macro that stands for it."""
    path = around(subject, span)
    if any(isinstance(node, ast.Name | ast.IntLit) and node.span == span and node.macro for node in path):
        return False
    plain = isinstance(path[-1], ast.Name) and path[-1].span == span
    return span.length > 0 and (plain or not subject.slice(span).isidentifier())


def change(title: str, span: Span, text: str, safe: bool = False) -> tuple[Fix, ...]:
    return (Fix(title, (Edit(span, text),), safe=safe),)


def insert(title: str, offset: int, text: str, safe: bool = False) -> tuple[Fix, ...]:
    return change(title, Span(offset, offset), text, safe)


def wrap(title: str, span: Span, before: str, behind: str, safe: bool = False) -> tuple[Fix, ...]:
    edits = (Edit(Span(span.start, span.start), before), Edit(Span(span.end, span.end), behind))
    return (Fix(title, edits, safe=safe),)


def convert_to(subject: Subject, span: Span, elem: str, safe: bool) -> tuple[Fix, ...]:
    """Put `__to<elem>( )` around an expression."""
    if not is_written(subject, span):
        return ()
    return wrap(f"Convert with '__to<{elem}>'", span, f"__to<{elem}>(", ")", safe)


def may_be_mutable(subject: Subject, name: Span) -> Symbol | None:
    """The scalar variable declared at `name` that only lacks the word `mutable`; None if it is something else."""
    for symbol in subject.analysis.model.symbols:
        if symbol.name_span == name and symbol.kind is SymbolKind.VARIABLE and not symbol.mutable:
            return symbol if isinstance(symbol.type, Scalar | Bounded) else None
    return None


def make_mutable(subject: Subject, name: Span) -> tuple[Fix, ...]:
    """Write `mutable` in front of the declaration whose name stands at `name`, if it declares that one scalar only."""
    symbol = may_be_mutable(subject, name)
    if symbol is None:
        return ()
    for node in reversed(around(subject, name)):
        alone = isinstance(node, ast.ScalarDecl) and len(node.inits) == 1 and node.storage is None
        if alone or (isinstance(node, ast.Assign) and len(node.parts) == 1 and node.parts[0].op == "="):
            return insert(f"Declare '{symbol.name}' as 'mutable'", node.span.start, "mutable ")
    return ()
