"""The phase of the older `wait<N> e` is checked against the path's own count (reference, chapter 0)."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import TYPING_BUDGET
from croqc.flow.report import Strength
from croqc.service.check import FileReport, check_text
from croqc.service.fix import fix_text
from croqc.service.flow_check import with_flow
from tests.flow.test_counters import PIPE
from tests.flow.test_no_false_proof import flow_of

COPY = "dma.copy src.subspan(4, 32).at(b, k) => ring[k % S];"
LOAD = f"foreach k in [C] {{ wait empty[k % S]; {COPY} trigger full[k % S]; }}"


def pipe(wait: str, turns: str = "C", before: str = "") -> str:
    use = f"{before} foreach k in [{turns}] {{ {wait} full[k % S]; dma.copy ring[k % S] => dst.subspan(4, 32).at(b, k);"
    return PIPE.format(load=LOAD.replace("[C]", f"[{turns}]"), use=f"{use} trigger empty[k % S]; }}")


@pytest.mark.parametrize(("wait", "own"), [("wait<0>", 1), ("wait<1>", 0), ("wait<7>", 0)])
def test_a_phase_that_is_not_the_path_s_own_is_found(wait: str, own: int) -> None:
    (finding,) = flow_of(pipe(wait)).findings
    assert (finding.rule, finding.args["own"], finding.args["phase"]) == ("order-out-of-step", own, int(wait[5]) & 1)


@pytest.mark.parametrize(("wait", "turns"), [("wait<0>", "3"), ("wait<2>", "2"), ("wait", "C")])
def test_the_phase_of_a_first_round_is_0(wait: str, turns: str) -> None:
    flow = flow_of(pipe(wait, turns))
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


def test_its_fix_leaves_the_phase_out() -> None:
    def checked(text: str, before: FileReport | None = None) -> FileReport:
        return with_flow(check_text(text), TYPING_BUDGET)

    (told,) = [item for item in checked(pipe("wait<0>")).diagnostics if item.code == "order-out-of-step"]
    assert told.message == "phase 0 of 'full[0]' is not that of the second wait of path w == 1 on it (k = 3)"
    assert fix_text(checked(pipe("wait<0>")), checked).text == pipe("wait")
