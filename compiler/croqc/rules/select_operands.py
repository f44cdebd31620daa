"""Rule `select-operands`: the operands of 'select' do not fit (reference, F08, 5.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    value, count = finding.args["value"], int(str(finding.args["count"]))
    match finding.args["reason"]:
        case "index":
            return Words(f"'select' chooses by an integer, got '{value}'", f"write a number from 0 to {count - 1}")
        case "range":
            return Words(f"there is no choice {value} among {count}", f"write a number from 0 to {count - 1}")
        case "reached":
            rest = "" if str(value).startswith("-") else f", as with '% {count}'"  # a remainder keeps the sign
            hint = f"keep it from 0 to {count - 1}{rest}"
            return Words(f"the index reaches {value}, and there are {count} choices", hint)
        case "type":
            return Words(f"'{value}' differs from the first choice", "element type, shape and storage must be equal")
        case _:
            return Words(f"'{value}' cannot be chosen", "'select' takes buffers, or names of copies")


RULE = Rule(
    name="select-operands",
    severity=Severity.ERROR,
    summary="The operands of 'select' do not fit.",
    rows=("F08",),
    render=_render,
)
