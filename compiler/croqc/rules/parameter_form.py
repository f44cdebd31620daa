"""Rule `parameter-form`: a parameter is `global` or `&` where that has no meaning (reference, P01, 3.6)."""

from __future__ import annotations

import re

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import change
from croqc.sema.model import Finding
from croqc.text.diagnostics import Fix, Severity
from croqc.text.span import Span

_WORDS = {
    "global-scalar": ("a scalar cannot be 'global'", "leave 'global' out"),
    "ref-scalar": ("a scalar cannot be passed by reference", "leave '&' out, or take 'T [1]&'"),
    "ref-global": (
        "'global' data cannot be passed by reference",
        "leave '&' out: the kernel writes 'global' data itself",
    ),
    "ref-unnamed": ("a parameter passed by reference needs a name", "name it, or leave '&' out"),
}


def _render(finding: Finding, subject: Subject) -> Words:
    what = str(finding.args["what"])
    message, hint = _WORDS[what]
    text = subject.slice(finding.span)
    if what == "global-scalar":
        word = re.match(r"global\s+", text)
        return Words(message, hint, fixes=_remove("global", finding.span.start, word.end()) if word else ())
    at = text.find("&")
    fixes = () if at < 0 else _remove("&", finding.span.start + at, 1)
    return Words(message, hint, fixes=fixes)


def _remove(word: str, start: int, length: int) -> tuple[Fix, ...]:
    return change(f"Remove '{word}'", Span(start, start + length), "")


RULE = Rule(
    name="parameter-form",
    severity=Severity.ERROR,
    summary="A parameter is `global` or `&` where that has no meaning.",
    rows=("P01",),
    render=_render,
)
