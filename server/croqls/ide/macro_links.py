"""What is found inside a macro is told at its use; here it gets a link to the definition. Must not find anything."""

from __future__ import annotations

from croqc.service.check import FileReport
from croqc.syntax.tokens import Macro
from croqc.text.diagnostics import Diagnostic, Related
from croqc.text.record import replace


def with_definitions(report: FileReport) -> tuple[Diagnostic, ...]:
    """The diagnostics of a file, those that stand at the use of a macro with the place where it is defined."""
    return tuple(_linked(report, item) for item in report.diagnostics)


def _linked(report: FileReport, item: Diagnostic) -> Diagnostic:
    name = _used(report, item)
    macro = None if name is None else definition(report, name, item.span.start)
    if macro is None or macro.span is None or any(other.span == macro.span for other in item.related):
        return item
    return replace(item, related=(*item.related, Related(f"'{name}' is defined here", macro.span)))


def _used(report: FileReport, item: Diagnostic) -> str | None:
    """The macro whose whole use, arguments included, an item stands at."""
    for function in report.functions:
        if function.spans(item.span):
            source, span = function.parsed.source, item.span.shift(-function.base)
            name = next((name for use, name in source.macro_uses if use.start == span.start), None)
            if name is not None and any(token.macro and token.span == span for token in source.tokens):
                return name
    return None


def definition(report: FileReport, name: str, offset: int) -> Macro | None:
    """The macro that a name means at an absolute offset; one of the command line or the settings has no place."""
    known = [
        one for one in report.tree.pre.macros if one.name == name and (one.span is None or one.span.start < offset)
    ]
    return known[-1] if known else None
