"""Rule `explicit-count`: a written arrival count is in threads; paths are counted (reference, Q07, 7.2)."""

from __future__ import annotations

from collections.abc import Iterable

from croqc.flow.arrivals import slot_arrivals
from croqc.flow.paths import kernel_paths
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import change, is_written
from croqc.sema.model import Finding
from croqc.sema.nesting import statements
from croqc.sema.rulenames_device import EXPLICIT_COUNT
from croqc.sema.types import Event
from croqc.syntax import ast
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    written, computed = finding.args["written"], finding.args["computed"]
    assert isinstance(computed, tuple)
    told = " or ".join(str(count) for count in computed)
    message = f"{written} written, {told} computed: arrivals are counted in paths, not in threads"
    if len(computed) > 1 or not is_written(subject, finding.span):
        return Words(message, "leave the count out")
    fixes = change(f"Write {told}", finding.span, told, safe=True)
    return Words(message, f"write 'event<{told}>', or leave the count out", fixes=fixes)


def _check(subject: Subject) -> Iterable[Finding]:
    """One finding for each declaration whose count is that of the threads of the computed paths."""
    model = subject.analysis.model
    counted = [one for one in model.symbols if isinstance(one.type, Event) and one.type.count is not None]
    if not counted:
        return
    places: dict[ast.Node, ast.Expr | None] = {
        name: node.count
        for node, _ in statements(model.function.body)
        if isinstance(node, ast.EventDecl)
        for name in node.names
    }
    computed: dict[ast.Expr, set[int]] = {}
    written: dict[ast.Expr, int] = {}
    for kernel in model.kernels:
        for (event, _), arrivals in slot_arrivals(model, kernel_paths(model, kernel)).items():
            count = places.get(event.decl)
            if count is None or arrivals.written is None or not arrivals.computed:
                continue
            computed.setdefault(count, set()).add(arrivals.computed)
            if arrivals.written in arrivals.threads and arrivals.written > arrivals.computed:
                written[count] = arrivals.written
    for count, number in written.items():
        counts = tuple(sorted(computed[count]))
        yield Finding(EXPLICIT_COUNT, count.span, {"written": number, "computed": counts})


RULE = Rule(
    name="explicit-count",
    severity=Severity.INFORMATION,
    summary="A written arrival count is in threads; paths are counted.",
    rows=("Q07",),
    render=_render,
    check=_check,
)
