"""Rule `pad-lists`: a list of a padding copy has a wrong length or value (reference, D05, 5.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_ORDER = "the lists are low, high and mid, then the value"


def _render(finding: Finding, _: Subject) -> Words:
    which, rank = str(finding.args["list"]), finding.args["rank"]
    match finding.args["reason"]:
        case "rank":
            return Words(f"the list '{which}' needs {rank} entries, one a dimension", _ORDER)
        case "mid":
            return Words("there is no padding between elements on a GPU", "write 0 in the third list")
        case "integer":
            return Words("a padding is a whole number of elements", _ORDER)
        case _:
            return Words("a padding is between 0 and 2048 elements", _ORDER)


RULE = Rule(
    name="pad-lists",
    severity=Severity.ERROR,
    summary="A list of a padding copy has a wrong length or value.",
    rows=("D05",),
    render=_render,
)
