"""Rule `accumulator-registers`: accumulators in use together take more registers than a thread has."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    names, registers, limit, threads = (finding.args[key] for key in ("names", "registers", "limit", "threads"))
    assert isinstance(names, tuple)
    quoted = [f"'{name}'" for name in names]
    which = " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
    takes, they = ("take", "they go") if len(quoted) > 1 else ("takes", "it goes")
    return Words(
        f"{which} {takes} {registers} registers of a thread, each of the block's {threads} has {limit} at most: "
        f"{they} to memory and back",
        "use narrower tiles, or share the tile out among more or fewer warpgroups",
    )


RULE = Rule(
    name="accumulator-registers",
    severity=Severity.WARNING,
    summary="Accumulators in use together take more registers than a thread has.",
    rows=(),
    render=_render,
)
