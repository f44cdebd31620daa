"""Rule `explicit-count`: a written arrival count is in threads; paths are counted (reference, Q07, 7.2)."""

from __future__ import annotations

from collections.abc import Iterable

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import change, is_written
from croqc.sema.model import Finding
from croqc.sema.nesting import statements
from croqc.sema.rulenames_device import EXPLICIT_COUNT
from croqc.sema.types import Event
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    written, computed = finding.args["written"], finding.args["computed"]
    return Words(
        f"{written} written, {computed} computed: arrivals are counted in paths, not in threads",
        f"write 'event<{computed}>', or leave the count out",
        fixes=_fixes(finding.span, subject, str(computed)),
    )


def _fixes(count: Span, subject: Subject, computed: str) -> tuple[Fix, ...]:
    return change(f"Write {computed}", count, computed) if is_written(subject, count) else ()


def _check(subject: Subject) -> Iterable[Finding]:
    """One finding for each declaration whose count is that of the threads of the computed paths."""
    model = subject.analysis.model
    counted = [one for one in model.symbols if isinstance(one.type, Event) and one.type.count is not None]
    if not counted:
        return
    from croqc.flow.arrivals import slot_arrivals  # loads NumPy, which most files need not
    from croqc.flow.paths import kernel_paths

    places: dict[ast.Node, ast.Expr | None] = {
        name: node.count
        for node, _ in statements(model.function.body)
        if isinstance(node, ast.EventDecl)
        for name in node.names
    }
    told: set[ast.Node] = set()
    for kernel in model.kernels:
        for (event, _), arrivals in slot_arrivals(model, kernel_paths(model, kernel)).items():
            count = places.get(event.decl)
            in_threads = arrivals.written in arrivals.threads and arrivals.written != arrivals.computed
            if event in counted and in_threads and arrivals.computed and count is not None and count not in told:
                told.add(count)
                args = {"written": arrivals.written, "computed": arrivals.computed}
                yield Finding(EXPLICIT_COUNT, count.span, args)


RULE = Rule(
    name="explicit-count",
    severity=Severity.INFORMATION,
    summary="A written arrival count is in threads; paths are counted.",
    rows=("Q07",),
    render=_render,
    check=_check,
)
