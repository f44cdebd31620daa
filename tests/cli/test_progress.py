"""What a long run shows while it runs: never on standard output, nothing where nobody wants it."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from croqc.cli import progress, run
from croqc.service.run import RunReport, run_file
from tests.cli.conftest import Croq

KERNEL = """// croq: run N=8
__co__ void f(global s32 [N] x, global s32 [N] y) {
  parallel p by N : thread
    y.at(p) = x.at(p) + 1;
}
"""


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run takes many times longer than the time between two lines."""

    def waiting(*arguments: object) -> Iterator[RunReport]:
        for report in run_file(*arguments):  # type: ignore[arg-type]
            time.sleep(0.5)
            yield report

    monkeypatch.setattr(progress, "EVERY", 0.01)
    monkeypatch.setattr(run, "run_file", waiting)


def test_a_log_shows_that_a_long_run_goes_on(croq: Croq, slow: None) -> None:
    Path("k.co").write_text(KERNEL)
    outcome = croq("run", "k.co")
    lines = outcome.err.splitlines()
    assert len(lines) >= 2
    assert all(line.startswith("croq: k.co: running for ") for line in lines)
    assert lines[-1].endswith(" s, 1 of 1 blocks")
    assert "running" not in outcome.out


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_nothing_is_shown_where_nobody_wants_it(croq: Croq, slow: None, option: str) -> None:
    Path("k.co").write_text(KERNEL)
    assert croq("run", option, "k.co").err == ""


def test_a_short_run_shows_nothing(croq: Croq) -> None:
    Path("k.co").write_text(KERNEL)
    assert croq("run", "k.co").err == ""
