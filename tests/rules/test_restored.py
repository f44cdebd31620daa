"""Every kind of fault that fixes must mend, in each dialect: whatever is offered leaves nothing, and what is safe runs.

A finding after a fix, whoever's it is, fails. `python -m tests.rules.test_restored` prints how many faults are mended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from croqc.rules.table import FLOW_RULES
from croqc.service.check import FileReport
from croqc.service.fix import fix_text
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import apply_edits
from tests.rules.faults import FAULTS, KERNELS, NOT_IN
from tests.rules.mending import report_of, shown, simulated

CELLS = [(fault, dialect) for fault in FAULTS for dialect in KERNELS if (fault, dialect) != NOT_IN]
MINE = {*FLOW_RULES, "index-out-of-range"}
"""What tells of these faults: a credit too many is found by its index already."""
SMALL = ("ring", "two", "tiled", "turns", "ready", "ordered", "matmul", "issued", "named", "swap", "packed", "stores",
         "chain", "pair")  # fmt: skip


def broken(fault: str, dialect: str) -> Iterator[tuple[str, FileReport]]:
    """Kernel and report of every fault of a kind that credit flow finds, the small kernels first."""
    for name in SMALL:
        for text in FAULTS[fault](KERNELS[dialect].get(name, "")):
            report = report_of(text)
            if any(item.code in MINE for item in loud(report)):
                yield name, report


def loud(report: FileReport) -> list[Diagnostic]:
    return [item for item in report.diagnostics if item.severity in (Severity.ERROR, Severity.WARNING)]


def fixes_of(report: FileReport) -> list[Fix]:
    return [fix for item in loud(report) if item.code in MINE for fix in item.fixes]


def restored(report: FileReport) -> FileReport | None:
    """The report after all safe fixes, as `croq fix --write` applies them; None where something is left."""
    fixed = fix_text(report, lambda changed, _: report_of(changed))
    return fixed.report if fixed.applied and loud(fixed.report) == [] else None


def test_the_kernels_are_right_and_of_their_dialect() -> None:
    for dialect, kernels in KERNELS.items():
        for text in kernels.values():
            report = report_of(text)
            strengths = [flow.strength.value for function in (report.flows or {}).values() for flow in function.kernels]
            assert (report.dialect, loud(report), strengths) == (dialect, [], ["proved"])


@pytest.mark.parametrize(("fault", "dialect"), CELLS)
def test_a_fault_of_each_kind_is_mended_in_each_dialect(fault: str, dialect: str) -> None:
    mended = next((done for _, each in broken(fault, dialect) if (done := restored(each)) is not None), None)
    assert mended is not None
    assert mended.dialect == dialect


SHAPES = [
    (dialect, name) for dialect in KERNELS for name in ("packed", "stores", "chain", "pair") if name in KERNELS[dialect]
]


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("dialect", "name"), SHAPES)
def test_packed_slots_element_stores_and_rings_behind_each_other_are_mended_like_any(
    dialect: str, name: str, fault: str
) -> None:
    """Every place of the fault, not one of them only; what is harmless in such a kernel is no fault."""
    for text in FAULTS[fault](KERNELS[dialect][name]):
        report = report_of(text)
        mended = restored(report) if loud(report) else report
        assert mended is not None, text
        assert mended.dialect == dialect


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "dialect"), CELLS)
def test_whatever_is_offered_leaves_nothing(fault: str, dialect: str) -> None:
    for name, report in broken(fault, dialect):
        for fix in fixes_of(report):
            assert shown(apply_edits(report.source.text, fix.edits)) == [], (name, fix.title)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "dialect"), CELLS)
def test_what_is_safe_runs_right(fault: str, dialect: str) -> None:
    for name, report in broken(fault, dialect):
        mended = restored(report)
        if mended is not None:
            assert simulated(mended.source.text) == {"verified"}, (name, mended.source.text)


def table() -> str:
    """How many faults of a kind are found, get a fix, get a safe one, and are mended by `croq fix --write`."""
    lines = [
        f"{'':26}" + "".join(f"{dialect:>24}" for dialect in KERNELS),
        f"{'':26}" + "  found  fix safe restored" * 3,
    ]
    for fault in FAULTS:
        line = f"{fault:26}"
        for dialect in KERNELS:
            row: Counter[str] = Counter()
            for _, report in broken(fault, dialect):
                fixes = fixes_of(report)
                done = restored(report) is not None
                row.update(found=1, fix=bool(fixes), safe=any(fix.safe for fix in fixes), restored=done)
            line += f"{row['found']:7}{row['fix']:5}{row['safe']:5}{row['restored']:7}"
        lines.append(line)
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
