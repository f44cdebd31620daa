"""Rule `older-form`: with `dialect = current`, a form of an older dialect (reference, chapter 0 and 2.13)."""

from __future__ import annotations

from collections.abc import Iterable

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.respellings import respell
from croqc.sema.model import Finding, Model, OperandKind
from croqc.syntax.older import OlderForm, older_forms
from croqc.text.diagnostics import Severity

_LOAD = "mma.load"


def forms(model: Model) -> tuple[OlderForm, ...]:
    """The older forms of a function in source order, with loads of shared tiles, which only names tell apart."""
    loads = (
        OlderForm(_LOAD, node.op_span, "the shared tile itself as operand")
        for node, kind in model.loads.items()
        if kind is OperandKind.SHARED and node.op == "load"
    )
    return tuple(sorted((*older_forms(model.function), *loads), key=lambda form: (form.span, form.name)))


def _check(subject: Subject) -> Iterable[Finding]:
    model = subject.analysis.model
    if model.context.dialect == "current":
        for form in forms(model):
            yield Finding("older-form", form.span, {"name": form.name, "replacement": form.replacement})


def _render(finding: Finding, subject: Subject) -> Words:
    name, replacement = str(finding.args["name"]), str(finding.args["replacement"])
    shown = "'mma.load' of a shared tile" if name == _LOAD else f"'{name}'"
    hint = replacement if replacement.startswith("assign") else f"write {replacement}"
    fixes = respell(subject, OlderForm(name, finding.span, replacement))
    return Words(f"{shown} is a form of an older dialect", hint, fixes=fixes, tags=("deprecated",))


RULE = Rule(
    name="older-form",
    severity=Severity.WARNING,
    summary="A form of an older dialect stands in a file that is to be current.",
    rows=(),
    render=_render,
    check=_check,
)
