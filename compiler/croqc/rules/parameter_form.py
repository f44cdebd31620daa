"""Rule `parameter-form`: a parameter is `global` or `&` where that has no meaning (reference, P01, 3.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

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
    safe = what in ("global-scalar", "ref-global")  # the word had no meaning there
    if what == "global-scalar":
        fixes = replace(subject, "Remove 'global'", finding.span, r"global\s+", "", safe)
    else:
        fixes = replace(subject, "Remove '&'", finding.span, r"[^&]*(&)", "", safe)
    return Words(message, hint, fixes=fixes)


RULE = Rule(
    name="parameter-form",
    severity=Severity.ERROR,
    summary="A parameter is `global` or `&` where that has no meaning.",
    rows=("P01",),
    render=_render,
)
