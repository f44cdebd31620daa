"""Rule `initialiser-type`: an initialiser does not have the declared type (reference, T06, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import convert_to
from croqc.sema.elements import FLOATS
from croqc.sema.model import Finding
from croqc.text.diagnostics import Fix, Severity


def _render(finding: Finding, subject: Subject) -> Words:
    name, want, have = (str(finding.args[key]) for key in ("name", "t1", "t2"))
    have = have.removeprefix("mutable ")
    hint = "change the type or the value"
    fixes: tuple[Fix, ...] = ()
    if want == "bool":
        hint = "a truth value comes from a comparison, 'true' or 'false'"
    elif have == "bool":
        hint = "write 'condition ? 1 : 0'"
    elif have in FLOATS:
        hint, fixes = "convert it with '__to<s32>(...)'", convert_to(subject, finding.span, "s32", safe=False)
    return Words(f"'{name}' is declared '{want}' but initialised with '{have}'", hint, fixes=fixes)


RULE = Rule(
    name="initialiser-type",
    severity=Severity.ERROR,
    summary="An initialiser does not have the declared type.",
    rows=("T06",),
    render=_render,
)
