"""Makes the diagnostics of the scanner and the preprocessor. Must not decide when one is due."""

from __future__ import annotations

from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.span import Span

SYNTAX = "syntax-error"
PREPROCESSOR = "preprocessor-error"


def lexical(message: str, start: int, end: int, hint: str = "", severity: Severity = Severity.ERROR) -> Diagnostic:
    """A finding about characters, tokens or regions."""
    return Diagnostic(SYNTAX, severity, message, Span(start, end), hint)


def preprocessing(
    message: str, start: int, end: int, hint: str = "", severity: Severity = Severity.ERROR
) -> Diagnostic:
    """A finding about directives, conditions or macros."""
    return Diagnostic(PREPROCESSOR, severity, message, Span(start, end), hint)
