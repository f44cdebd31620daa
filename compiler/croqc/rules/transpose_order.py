"""Rule `transpose-order`: the order of a transposing copy is no permutation (reference, D04, 5.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _numbers(order: object) -> tuple[object, ...]:
    return order if isinstance(order, tuple) else (order,)


def _render(finding: Finding, _: Subject) -> Words:
    rank = int(str(finding.args["rank"]))
    given = ", ".join(map(str, _numbers(finding.args["order"])))
    hint = f"list each of 0 to {rank - 1} once" if rank > 1 else "write 0"
    return Words(f"'<{given}>' is no order of the {rank} dimensions of the source", hint)


RULE = Rule(
    name="transpose-order",
    severity=Severity.ERROR,
    summary="The order of a transposing copy is no permutation.",
    rows=("D04",),
    render=_render,
)
