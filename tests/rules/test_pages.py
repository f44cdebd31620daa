"""Each rule's page is executed: its marks are what `check` finds, its `fixed` block is what the fixes make."""

import pytest

from croqc.flow.analysis import TYPING_BUDGET
from croqc.rules.page import Example, page_text, parse_page
from croqc.rules.table import all_rules
from croqc.service.check import FileReport, check_text
from croqc.service.flow_check import with_flow
from croqc.service.lowering import lower_function, sizes_of
from croqc.service.settings import Settings
from croqc.text.diagnostics import Severity
from croqc.text.edits import apply_edits
from croqc.text.record import replace
from tests.rules.breaking import break_rule

FINDINGS = (Severity.ERROR, Severity.WARNING)


def report_of(example: Example) -> FileReport:
    """What a check says of an example; with `command=cuda` also what `croq cuda` says of its functions."""
    defines = dict(item.split(":", 1) for item in (example.option("defines") or "").split(",") if item)
    settings = Settings(example.option("arch"), example.option("dialect"), defines)
    with pytest.MonkeyPatch.context() as patch:
        if broken := example.option("broken"):
            break_rule(patch, broken)
        report = with_flow(check_text(example.text, settings), TYPING_BUDGET)
    if example.option("command") != "cuda":
        return report
    lowered = [lower_function(report, item, sizes_of(report, item)) for item in report.functions]
    problems = tuple(item.problem for item in lowered if item.problem is not None)
    return replace(report, found=report.found + problems + tuple(note for item in lowered for note in item.notes))


def examples(kind: str) -> list[object]:
    found = []
    for rule in all_rules():
        page = parse_page(page_text(rule.name) or "")
        for index, example in enumerate(page.examples):
            words = [word for word in example.words if word in ("fixed", "valid")]
            if (words[0] if words else "marked") == kind:
                before = page.examples[index - 1] if index else None
                found.append(pytest.param(rule.name, example, before, id=f"{rule.name}:{example.line}"))
    return found


def test_every_rule_has_a_page_that_shows_it() -> None:
    for rule in all_rules():
        place = f"compiler/croqc/rules/pages/{rule.name}.md"
        text = page_text(rule.name)
        assert text is not None, f"{place} is missing"
        page = parse_page(text)
        assert page.title == rule.name, f"{place} must begin with '# {rule.name}'"
        marked = any(mark.rule == rule.name for example in page.examples for mark in example.marks)
        assert marked, f"no 'co' block of {place} has a line '^^^ {rule.name}' under what the rule marks"


@pytest.mark.parametrize(("name", "example", "before"), examples("marked"))
def test_marks_are_what_check_finds(name: str, example: Example, before: Example | None) -> None:
    report = report_of(example)
    marked = {mark.rule for mark in example.marks}
    shown = [item for item in report.diagnostics if item.severity in FINDINGS or item.code in marked]
    assert [(item.code, item.span) for item in shown] == sorted(
        ((mark.rule, mark.span) for mark in example.marks), key=lambda pair: (pair[1], pair[0])
    )
    for item in shown:
        texts = [mark.message for mark in example.marks if (mark.rule, mark.span) == (item.code, item.span)]
        assert any(text in item.message for text in texts)


@pytest.mark.parametrize(("name", "example", "before"), examples("fixed"))
def test_fixes_make_the_fixed_text(name: str, example: Example, before: Example | None) -> None:
    assert before is not None
    report = report_of(before)
    fixes = [item.fixes[0] for item in report.diagnostics if item.code == name and item.fixes]
    assert fixes
    edits = list(dict.fromkeys(edit for fix in fixes for edit in fix.edits))
    assert apply_edits(before.text, edits) == example.text
    left = [item.code for item in report_of(example).diagnostics if item.severity in FINDINGS]
    assert name not in left


@pytest.mark.parametrize(("name", "example", "before"), examples("valid"))
def test_valid_examples_have_no_findings(name: str, example: Example, before: Example | None) -> None:
    shown = [item for item in report_of(example).diagnostics if item.severity in FINDINGS or item.code == name]
    assert shown == []
