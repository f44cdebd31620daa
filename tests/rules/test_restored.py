"""Every kind of fault that fixes must mend, in each dialect: whatever is offered leaves nothing, and what is safe runs.

A finding after a fix, whoever's it is, fails. `python -m tests.rules.test_restored` prints how many faults are mended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from croqc.rules.table import FLOW_RULES
from croqc.service.fix import fix_text
from croqc.text.edits import apply_edits
from tests.rules.faults import FAULTS, KERNELS, NOT_IN
from tests.rules.mending import report_of, shown, simulated, strengths

CELLS = [(fault, dialect) for fault in FAULTS for dialect in KERNELS if (fault, dialect) != NOT_IN]
SMALL = ("ring", "two", "tiled", "turns", "ready", "ordered", "matmul", "issued", "named", "swap")


@cache
def broken(fault: str, dialect: str) -> tuple[tuple[str, str], ...]:
    """Kernel and text of every fault of a kind that credit flow finds, the small kernels first."""
    texts = ((name, text) for name in SMALL for text in FAULTS[fault](KERNELS[dialect].get(name, "")))
    return tuple((name, text) for name, text in texts if any(item.code in FLOW_RULES for item in shown(text)))


def offered(text: str) -> Iterator[str]:
    """The texts after each of the fixes that are offered."""
    for item in shown(text):
        for fix in item.fixes:
            if item.code in FLOW_RULES:
                yield apply_edits(text, fix.edits)


def restored(text: str) -> str | None:
    """The text after all safe fixes, as `croq fix --write` applies them; None where something is left."""
    fixed = fix_text(report_of(text), lambda changed, _: report_of(changed))
    return fixed.text if fixed.applied and shown(fixed.text) == [] else None


def test_the_kernels_are_right_and_of_their_dialect() -> None:
    for dialect, kernels in KERNELS.items():
        for text in kernels.values():
            assert (report_of(text).dialect, shown(text), strengths(text)) == (dialect, [], ["proved"])


@pytest.mark.parametrize(("fault", "dialect"), CELLS)
def test_a_fault_of_each_kind_is_mended_in_each_dialect(fault: str, dialect: str) -> None:
    mended = next((text for _, each in broken(fault, dialect) if (text := restored(each)) is not None), None)
    assert mended is not None
    assert report_of(mended).dialect == dialect


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "dialect"), CELLS)
def test_whatever_is_offered_leaves_nothing(fault: str, dialect: str) -> None:
    for name, text in broken(fault, dialect):
        for mended in offered(text):
            assert shown(mended) == [], (name, text)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "dialect"), CELLS)
def test_what_is_safe_runs_right(fault: str, dialect: str) -> None:
    for name, text in broken(fault, dialect):
        mended = restored(text)
        if mended is not None:
            assert simulated(mended) == {"verified"}, (name, mended)


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
            for _, text in broken(fault, dialect):
                fixes = [fix for item in shown(text) if item.code in FLOW_RULES for fix in item.fixes]
                row.update(found=1, fix=bool(fixes), safe=any(fix.safe for fix in fixes), restored=bool(restored(text)))
            line += f"{row['found']:7}{row['fix']:5}{row['safe']:5}{row['restored']:7}"
        lines.append(line)
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
