"""Examples of the older dialects, moved to the current one: their consumers keep the same instructions in flight."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from croqc.service.check import FileReport, check_text
from croqc.service.migrate import migrate
from tests.codegen.compiling import complaints, log_of, lowered
from tests.pipe.lowering import EXAMPLES

NAMES = ("pipeline_1p2c", "pipeline_classic", "pipeline_course", "persistent_1p2c")


def code_of(report: FileReport) -> str:
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    return item.program.unit.text


def both(name: str) -> tuple[str, str]:
    report = check_text((EXAMPLES / f"{name}.co").read_text(encoding="utf-8"))
    moved = check_text(migrate(report, "current").text)
    assert "mma.commit" not in moved.source.text
    return code_of(report), code_of(moved)


def steps(code: str) -> Iterator[str]:
    """The consumer's instructions from its first turn on, slots by number aside: the dialects spell these otherwise."""
    consumer = re.split(r"\n +// path ", code)[-1]
    for line in consumer.partition("mbarrier_wait(full")[2].splitlines()[1:]:
        if "_phase ^=" not in line:
            yield re.sub(r"stage_2|i?v?_?k_2 % \d", "SLOT", line.strip())


@pytest.mark.parametrize("name", NAMES)
def test_the_main_loop_is_that_of_the_original(name: str) -> None:
    original, moved = both(name)
    assert list(steps(moved)) == list(steps(original))
    assert "wgmma_wait<1>();" in list(steps(moved))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_assembler_has_nothing_against_it(name: str) -> None:
    assert complaints(log_of(both(name)[1], "sm_90a")) == []
