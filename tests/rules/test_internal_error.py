"""One part that fails costs its own words alone: every other finding stays, and no verdict gets better."""

import pytest

from croqc.flow.analysis import TYPING_BUDGET
from croqc.service import check, flow_check
from croqc.service.check import FileReport, check_text
from croqc.service.flow import flow_result
from croqc.service.flow_check import verdict_lines, with_flow
from croqc.text.diagnostics import Severity
from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.rules.breaking import break_rule, fail, keep_going

TWO_FAULTS = """__co__ void f(f32 [N] x, f16 [N]& y) {
  parallel p by N : thread {
    y.at(p) = x.at(p) * 2.0f;
    y.at(p) = x.at(p) * 3.0f;
    y.at(p) = z;
  }
}
"""
DEADLOCK = PIPELINE.replace(BOOTSTRAP, "")


def report_of(text: str) -> FileReport:
    return with_flow(check_text(text), TYPING_BUDGET)


def told(report: FileReport) -> list[tuple[str, Severity]]:
    return [(item.code, item.severity) for item in report.diagnostics]


def test_a_rule_that_fails_is_named_once_and_the_others_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [code for code, _ in told(report_of(TWO_FAULTS))] == ["lossy-conversion"] * 2 + ["undeclared-name"]
    break_rule(monkeypatch, "lossy-conversion")
    report = report_of(TWO_FAULTS)
    assert told(report) == [("internal-error", Severity.WARNING), ("undeclared-name", Severity.ERROR)]
    found = report.diagnostics[0]
    assert found.message.startswith("rule 'lossy-conversion' failed here (ZeroDivisionError at breaking.py:")
    assert "please report it" in found.hint
    assert report.source.slice(found.span) == "x.at(p) * 2.0f"


def test_an_error_without_words_is_still_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    break_rule(monkeypatch, "undeclared-name")
    report = report_of(TWO_FAULTS)
    assert ("internal-error", Severity.ERROR) in told(report)
    assert [code for code, _ in told(report)].count("lossy-conversion") == 2


def test_a_check_that_fails_is_told_at_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    break_rule(monkeypatch, "older-form")
    report = report_of(TWO_FAULTS)
    assert told(report)[0] == ("internal-error", Severity.INFORMATION)
    assert report.source.slice(report.diagnostics[0].span) == "f"
    assert [code for code, _ in told(report)[1:]] == ["lossy-conversion"] * 2 + ["undeclared-name"]


def test_it_cannot_be_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    break_rule(monkeypatch, "undeclared-name")
    text = TWO_FAULTS.replace("z;", "z; // croq: allow internal-error")
    assert ("internal-error", Severity.ERROR) in told(report_of(text))


def test_a_verdict_without_words_stays_a_failed_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    break_rule(monkeypatch, "credit-deadlock")
    report = report_of(DEADLOCK)
    assert ("internal-error", Severity.ERROR) in told(report)
    assert "credit flow fails" in "\n".join(verdict_lines(report))
    entry = flow_result(report).flows[0]
    assert (entry.verdict, entry.findings[0].code) == ("fails", "internal-error")


def test_an_analysis_that_fails_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_going(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(flow_check, "analyze_flow", fail)
        report = report_of(PIPELINE)
    assert ("internal-error", Severity.WARNING) in told(report)
    assert verdict_lines(report) == ()
    entry = flow_result(report).flows[0]
    assert entry.verdict == "unknown"
    assert entry.reason.startswith("the credit-flow analysis failed here")
    monkeypatch.setattr(check, "analyze", fail)
    report = report_of(TWO_FAULTS + "__co__ void g( {}\n")
    assert ("internal-error", Severity.ERROR) in told(report)
    assert ("syntax-error", Severity.ERROR) in told(report)
    assert flow_result(report).flows[0].reason.startswith("the function has errors: the analysis of this function")
