"""Rule `trip-count-mismatch`: roles run one ring a different number of times (credit-flow, section 4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_sites import code_of
from croqc.rules.credit_words import fix, sizes
from croqc.rules.mends import around
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span


def _turns(count: object) -> str:
    return f"{count} turn" if count == 1 else f"{count} turns"


def _render(finding: Finding, subject: Subject) -> Words:
    args = finding.args
    message = (
        f"{args['short']} makes {_turns(args['fewer'])} over the ring of '{args['event']}',"
        f" {args['long']} makes {args['more']}{sizes(args)}"
    )
    severity = Severity.ERROR if args["deadlock"] else Severity.WARNING
    return Words(message, "let both loops have the same bound", fixes=_fixes(finding, subject), severity=severity)


def _fixes(finding: Finding, subject: Subject) -> tuple[Fix, ...]:
    """The bound of the longer loop for the shorter one, or the reverse."""
    if not finding.related:
        return ()
    code, short, long = code_of(subject), finding.span, finding.related[0].span
    if _extent(subject, short) is None or _extent(subject, long) is None:
        return ()
    found: list[Fix] = []
    ways = [(short, long), (long, short)]
    likely = [way for way in ways if _rounds(subject, *way)] or [way for way in ways if _counts_tiles(subject, *way)]
    for place, model in likely or ways:
        text = code.slice(model)
        if _is_known(subject, model, place):
            found += fix(f"Let it run over '{text.strip('[]')}', too", (Edit(place, text),), safe=bool(likely))
    return tuple(found)


def _counts_tiles(subject: Subject, place: Span, model: Span) -> bool:
    """Whether an extent that is shifted by a number is replaced by one that is none."""
    return _is_shifted(subject, place) and not _is_shifted(subject, model)


def _is_shifted(subject: Subject, span: Span) -> bool:
    """Whether an extent is a number of tiles and some more: `cdiv(K, 64) + 1`."""
    inner = _inner(_extent(subject, span))
    return isinstance(inner, ast.Binary) and inner.op in ("+", "-")


def _extent(subject: Subject, span: Span) -> ast.Expr | None:
    """The extent of a loop as the text shows it."""
    for node in reversed(around(subject, span)):
        if isinstance(node, ast.Foreach):
            extents = [binding.extent for binding in node.bindings if binding.extent.span == span]
            return extents[0] if extents and not subject.slice(span).isidentifier() else _named(extents)
    return None


def _named(extents: list[ast.Expr]) -> ast.Expr | None:
    return extents[0] if extents and isinstance(extents[0], ast.Name | ast.IntLit) else None


def _is_known(subject: Subject, span: Span, place: Span) -> bool:
    """Whether every name of an extent means the same at the other place."""
    model = subject.analysis.model
    extent = _extent(subject, span)
    assert extent is not None
    here = around(subject, place)
    for name in (node for node in walk(extent) if isinstance(node, ast.Name)):
        symbol = model.uses.get(name)
        if symbol is None:
            return False
        holders = [node for node in around(subject, symbol.name_span) if isinstance(node, ast.Block)]
        if symbol.name_span.start > place.start or (holders and holders[-1] not in here):
            return False
    return True


def _rounds(subject: Subject, place: Span, other: Span) -> bool:
    """Whether `X / Y` is replaced by `cdiv(X, Y)`: then the last, ragged tile is not lost."""
    old, new = _inner(_extent(subject, place)), _inner(_extent(subject, other))
    if not isinstance(old, ast.Binary) or old.op != "/" or not isinstance(new, ast.Builtin) or new.name != "cdiv":
        return False
    parts = [subject.slice(side.span) for side in (old.left, old.right)]
    return parts == [subject.slice(arg.span) for arg in new.args]


def _inner(extent: ast.Expr | None) -> ast.Expr | None:
    if isinstance(extent, ast.ShapeLit | ast.TupleLit) and len(extent.items) == 1:
        extent = extent.items[0]
    return extent.inner if isinstance(extent, ast.Paren) else extent


RULE = Rule(
    name="trip-count-mismatch",
    severity=Severity.ERROR,
    summary="Roles run one ring a different number of times.",
    rows=("Q14",),
    render=_render,
)
