"""Broken pipelines and their mending, for tests of fixes: what is found, what is left, what a run comes to."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from croqc.flow.analysis import TYPING_BUDGET
from croqc.service.check import FileReport, check_text
from croqc.service.flow_check import with_flow
from croqc.service.run import run_file
from croqc.service.run_plan import Request
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.edits import apply_edits

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = {"M": 128, "N": 64, "K": 640}


@dataclass(frozen=True)
class Case:
    """A broken text, what is found in it, and the text after the fix (empty: not the same as before it was broken).

    `lines` are those that the fix adds, without blanks in front.
    """

    name: str
    rule: str
    broken: str
    mended: str = ""
    lines: tuple[str, ...] = ()


# --- texts -----------------------------------------------------------------------------------------


def example(name: str) -> str:
    return (EXAMPLES / f"{name}.co").read_text(encoding="utf-8")


def without(text: str, part: str, count: int = -1) -> str:
    return instead(text, part, "", count)


def instead(text: str, part: str, other: str, count: int = -1) -> str:
    assert part in text
    return text.replace(part, other, count)


def second(text: str, part: str, other: str) -> str:
    """Another text for the second occurrence."""
    at = text.index(part, text.index(part) + 1)
    return text[:at] + other + text[at + len(part) :]


def _deepen(to: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: re.sub(r"(?m)^ +", lambda found: to(found.group()), text)


LAYOUTS: dict[str, Callable[[str], str]] = {
    "tabs": _deepen(lambda blanks: "\t" * (len(blanks) // 2)),
    "wide": _deepen(lambda blanks: blanks * 2),
    "crlf": lambda text: text.replace("\n", "\r\n"),
}

# --- verdicts --------------------------------------------------------------------------------------


def report_of(text: str) -> FileReport:
    return with_flow(check_text(text), TYPING_BUDGET)


def shown(text: str) -> list[Diagnostic]:
    return [item for item in report_of(text).diagnostics if item.severity in (Severity.ERROR, Severity.WARNING)]


def mend(text: str, rule: str) -> str:
    """The text after the first fix of its only finding."""
    found = shown(text)
    assert [item.code for item in found] == [rule]
    assert found[0].fixes, found[0].message
    return apply_edits(text, found[0].fixes[0].edits)


def added(old: str, new: str) -> tuple[str, ...]:
    """The lines that only the new text has, without blanks in front."""
    before = old.splitlines()
    return tuple(line.strip() for line in new.splitlines() if line not in before)


def strengths(text: str) -> list[str]:
    flows = report_of(text).flows or {}
    return [kernel.strength.value for flow in flows.values() for kernel in flow.kernels]


def simulated(text: str) -> set[str]:
    """The simulator's verdicts; flow findings do not keep a kernel from being run."""
    sizes = SMALL if "lhs @ rhs.T" in text else {}
    request = Request(sizes=sizes, schedules=2)
    return {item.result.verdict.value for item in run_file(check_text(text), request, check_text)}
