"""Rule `launch-attribute`: a launch attribute has a wrong place or value (reference, L10, 4.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_MEANING = {
    "launch_bounds": "threads of a block, blocks of a multiprocessor, blocks of a cluster",
    "maxnreg": "the registers of a thread",
}


def _render(finding: Finding, subject: Subject) -> Words:
    name, threads = str(finding.args["attribute"]), finding.args["threads"]
    bounds = name == "launch_bounds"
    match finding.args["reason"]:
        case "level":
            return Words(f"'{name}' belongs to the block level of a kernel", "write it before the outermost 'parallel'")
        case "count":
            return Words(f"'{name}' takes {'1 to 3 numbers' if bounds else 'one number'}", _MEANING[name])
        case "static":
            return Words(f"'{name}' needs constants", "write a number, or a macro that stands for one")
        case "value":
            return Words(
                f"'{name}' needs numbers of at least {0 if bounds else 1}",
                "write '_' to leave one open" if bounds else "write how many registers a thread may have",
            )
        case _:
            pattern = rf"\[\[\s*{name}\s*\(\s*(\d+)"
            fixes = replace(subject, f"Change to {threads}", finding.span, pattern, str(threads), safe=True)
            return Words(f"the block has {threads} threads, more than this promises", f"write {threads}", fixes=fixes)


RULE = Rule(
    name="launch-attribute",
    severity=Severity.ERROR,
    summary="A launch attribute has a wrong place or value.",
    rows=("L10",),
    render=_render,
)
