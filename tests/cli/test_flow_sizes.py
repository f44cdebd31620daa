"""The run that a flow is shown with is one that the kernel takes."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.service.flow import flow_result
from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.rules.mending import example


def test_a_shown_size_is_a_multiple_of_the_tiles_that_are_assumed_whole() -> None:
    """Five turns, as those of the verdict's own run of K = 513: 640 is 5 * 128."""
    (flow,) = flow_result(check_text(example("pipeline_course"))).flows
    assert dict(flow.sizes) == {"K": 640}
    waits = [step for step in flow.steps if step.op == "wait" and step.event == "full"]
    assert len(waits) == 5


def test_given_sizes_are_kept() -> None:
    (flow,) = flow_result(check_text(example("pipeline_course")), sizes={"K": 513}).flows
    assert dict(flow.sizes) == {"K": 513}


@pytest.mark.parametrize("step", [48, 20])
def test_assertions_are_kept(step: int) -> None:
    text = example("pipeline_current").replace("{\n", f'{{\n  assert(K % {step} == 0, "whole");\n', 1)
    (flow,) = flow_result(check_text(text)).flows
    assert flow.verdict == "proved"
    assert flow.sizes["K"] % step == 0


def test_a_counterexample_keeps_its_sizes() -> None:
    (flow,) = flow_result(check_text(PIPELINE.replace(BOOTSTRAP, ""))).flows
    assert flow.verdict == "fails"
    assert flow.findings[0].sizes["K"] % 128 != 0
