"""Honour `// croq: allow NAME` and the project's `allow`. Must not know rules beyond their names.

A directive allows its names on its own line and on the next one; a name that suppresses nothing gets a note.
"""

from __future__ import annotations

from collections.abc import Iterable

from croqc.rules.table import BY_NAME
from croqc.syntax.comment_directives import AllowDirective
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import Edit
from croqc.text.near import did_you_mean
from croqc.text.source import Source
from croqc.text.span import Span

UNUSED_ALLOW = "unused-allow"
NEVER = ("syntax-error", "preprocessor-error", "run-directive", "internal-error")


def suppress(
    diagnostics: Iterable[Diagnostic],
    allows: Iterable[AllowDirective],
    project: frozenset[str],
    source: Source,
    coming: frozenset[str] = frozenset(),
) -> tuple[Diagnostic, ...]:
    """The diagnostics that remain, sorted by place, with a note for each allowance that had no use.

    Rules in `coming` have not been checked yet, so that nothing is said of their allowances.
    """
    allowed = [(item.line, name, span) for item in allows for name, span in item.names]
    used: set[int] = set()
    kept = []
    for item in diagnostics:
        line = source.line_of(item.span.start)
        hits = {i for i, (at, name, _) in enumerate(allowed) if name == item.code and line in (at, at + 1)}
        used |= hits
        if item.code in NEVER or not (hits or item.code in project):
            kept.append(item)
    kept += [
        _unused(name, span, source) for i, (_, name, span) in enumerate(allowed) if i not in used and name not in coming
    ]
    return tuple(sorted(kept, key=lambda item: (item.span, item.code, item.message)))


def _unused(name: str, span: Span, source: Source) -> Diagnostic:
    if name not in BY_NAME:
        return Diagnostic(
            UNUSED_ALLOW, Severity.INFORMATION, f"there is no rule '{name}'", span, did_you_mean(name, BY_NAME)
        )
    line = source.line_of(span.start)
    whole = Span(source.line_starts[line], (*source.line_starts, len(source.text))[line + 1])
    alone = source.slice(whole).strip().startswith("//") and "," not in source.slice(whole)
    fixes = (Fix("Remove the directive", (Edit(whole, ""),)),) if alone else ()
    return Diagnostic(
        UNUSED_ALLOW,
        Severity.INFORMATION,
        f"'{name}' is not found on this line or the next, so this allows nothing",
        span,
        "remove it",
        fixes=fixes,
    )
