"""Rule `accumulator-use`: a fragment is used as what it is not (reference, X08, 6.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_FILL = "c = mma.fill.f32 0.0f;"


def _render(finding: Finding, _: Subject) -> Words:
    name = finding.args["name"]
    match finding.args["reason"]:
        case "operand":
            return Words(f"'{name}' was loaded as an operand and cannot be filled", "fill accumulators only")
        case "fill":
            return Words("an accumulator is filled with one number", "write a scalar, such as '0.0f'")
        case "unused":
            way = f"multiply into it, or declare it with a shape, as 'frag {finding.args['elem']} [64, 64] {name};'"
            return Words(f"nothing is multiplied into '{name}', so it has no shape", way)
        case "load":
            return Words(f"'{name}' was loaded as an operand and cannot accumulate", f"declare '{_FILL}' first")
        case _:
            return Words(f"'{name}' is no accumulator", f"declare one with '{_FILL}'")


RULE = Rule(
    name="accumulator-use",
    severity=Severity.ERROR,
    summary="A fragment is used as what it is not.",
    rows=("X08",),
    render=_render,
)
