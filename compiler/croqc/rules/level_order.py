"""Rule `level-order`: levels of parallelism are repeated, reversed, too many or unclear (reference, L03, 4.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_ORDER = "from outside to inside: block, group-4, group, thread; each at most once"


def _render(finding: Finding, _: Subject) -> Words:
    level, outer = finding.args["level"], finding.args["outer"]
    match finding.args["reason"]:
        case "repeated":
            return Words(f"level '{level}' is used already, further outside", _ORDER)
        case "reversed":
            return Words(f"level '{level}' cannot stand inside '{outer}'", _ORDER)
        case "deep":
            return Words("more than 4 levels of parallelism", "join two of them: '{i, j} by [m, n]'")
        case _:
            return Words("the level of this index cannot be inferred", "write it explicitly, as in 'p by 4 : block'")


RULE = Rule(
    name="level-order",
    severity=Severity.ERROR,
    summary="Levels of parallelism are repeated, reversed, too many or unclear.",
    rows=("L03",),
    render=_render,
)
