"""A fault of the tools ends in one line that asks for a report, never in a traceback."""

import json
from pathlib import Path

import pytest

from croqc.cli import dump
from tests.cli.conftest import Croq
from tests.rules.breaking import break_rule, fail, keep_going

MISTAKE = "__co__ void f(f32 [N]& x) {\n  parallel p by N : thread\n    x.at(p) = z;\n}\n"


def test_check_names_the_rule_and_goes_on(croq: Croq, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("k.co").write_text(MISTAKE)
    Path("l.co").write_text(MISTAKE.replace("z", "x.at(p) + "))
    break_rule(monkeypatch, "undeclared-name")
    outcome = croq("check", "k.co", "l.co")
    assert outcome.status == 1
    assert "k.co:3:15: error: rule 'undeclared-name' failed here (ZeroDivisionError at breaking.py:" in outcome.out
    assert "please report it with the kernel" in outcome.out
    assert "[syntax-error]" in outcome.out
    files = json.loads(croq("check", "--json", "k.co").out)["files"]
    assert [item["code"] for item in files[0]["diagnostics"]] == ["internal-error"]


def test_a_command_that_fails_says_what_to_report(croq: Croq, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_going(monkeypatch)
    monkeypatch.delenv("CROQ_TRACEBACK", raising=False)
    monkeypatch.setattr(dump, "run", fail)
    outcome = croq("dump", "--after", "ast", "k.co")
    assert outcome.status == 2
    assert outcome.err.startswith("croq: 'dump' failed (ZeroDivisionError at breaking.py:")
    assert outcome.err.count("\n") == 1
