"""What the tests of the preprocessor share: short forms of its results. Holds no tests."""

from __future__ import annotations

from croqc.syntax.preprocess import preprocess
from croqc.syntax.tokens import FunctionText, Preprocessed
from croqc.text.diagnostics import Diagnostic
from croqc.text.source import Source

Place = tuple[int, int]


def findings_of(read: Preprocessed) -> list[Diagnostic]:
    """All findings of a file, absolute, in order."""
    inner = [finding.shift(function.base) for function in read.functions for finding in function.findings]
    return sorted([*read.findings, *inner], key=lambda finding: finding.span)


def reported(text: str, **defines: str | None) -> list[tuple[int, int, str, str]]:
    """Line, column, severity and message of every finding."""
    source = Source(text)
    return [
        (*source.line_column(finding.span.start), finding.severity.value, finding.message)
        for finding in findings_of(preprocess(text, defines))
    ]


def only_function(text: str, **defines: str | None) -> FunctionText:
    """The one live function of a text."""
    (function,) = preprocess(text, defines).functions
    return function


def body_of(text: str, **defines: str | None) -> str:
    """The expanded tokens of the one function's body, a blank between any two; braces left off."""
    tokens = [token.text for token in only_function(text, **defines).tokens]
    return " ".join(tokens[tokens.index("{") + 1 : -1])


def in_function(body: str, before: str = "") -> str:
    """A function with that body on lines of its own; the body's first line is line 2 if `before` is empty."""
    return f"{before}__co__ void f(s32 n) {{\n{body}\n}}\n"


def regions_of(text: str) -> list[tuple[str, str]]:
    """Kind and text of each region."""
    return [(region.kind.value, text[region.span.start : region.span.end]) for region in preprocess(text).regions]
