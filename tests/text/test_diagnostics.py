"""Diagnostics move with their function: everything in this file shifts, what is in another file stays."""

from croqc.text.diagnostics import Diagnostic, Fix, Related, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span


def test_a_diagnostic_shifts_with_all_that_hangs_on_it() -> None:
    here = Related("declared here", Span(1, 2))
    elsewhere = Related("declared there", Span(1, 2), path="other.co")
    fix = Fix("Insert ;", (Edit(Span(4, 4), ";"),), safe=False, kind="refactor")
    finding = Diagnostic(
        "syntax-error",
        Severity.ERROR,
        "expected ;",
        Span(3, 4),
        "add it",
        (here, elsewhere),
        (fix,),
        ("unnecessary",),
    )
    assert finding.shift(100) == Diagnostic(
        "syntax-error",
        Severity.ERROR,
        "expected ;",
        Span(103, 104),
        "add it",
        (Related("declared here", Span(101, 102)), elsewhere),
        (Fix("Insert ;", (Edit(Span(104, 104), ";"),), safe=False, kind="refactor"),),
        ("unnecessary",),
    )


def test_severities_have_the_names_that_json_prints() -> None:
    assert [severity.value for severity in Severity] == ["error", "warning", "information", "hint"]
