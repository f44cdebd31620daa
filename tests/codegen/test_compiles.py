"""Every example compiles for its target: no register spilled, no multiply serialised. Other targets refuse in words."""

from __future__ import annotations

import pytest

from croqc.service.check import check_file
from croqc.service.cuda import cuda_of
from croqc.service.lowering import lower_file
from croqc.service.settings import Settings
from croqc.targets import TARGETS
from tests.codegen.compiling import complaints, log_of, lowered
from tests.pipe.lowering import EXAMPLES, NAMES, example

pytestmark = pytest.mark.slow
OTHERS = [arch for arch in TARGETS if arch != "sm_90a"]
REASONS = ("not lowered for", "has no TMA", "bytes of shared memory")


@pytest.mark.parametrize("name", NAMES)
def test_every_example_compiles_without_complaint(name: str) -> None:
    report = example(name)
    for item in lower_file(report, None, {}):
        assert item.program is not None, item.problem
        log = log_of(item.program.unit.text, "sm_90a")
        assert "ptxas info" in log  # the log that is judged is there
        assert complaints(log) == []


@pytest.mark.parametrize("name", NAMES)
def test_nvrtc_takes_the_full_text_too(name: str) -> None:
    report = example(name)
    text = cuda_of(report, None, {}, "full").result.text
    assert "launch_overlapping(" in text
    assert complaints(log_of(text, "sm_90a")) == []


@pytest.mark.parametrize("arch", OTHERS)
@pytest.mark.parametrize("name", NAMES)
def test_other_targets_compile_or_say_why_not(name: str, arch: str) -> None:
    report = check_file(EXAMPLES / f"{name}.co", Settings(arch=arch))
    found = cuda_of(report, None, {})
    if not found.problems:
        assert complaints(log_of(found.result.text, arch)) == []
        return
    assert found.result.text == ""
    for problem in found.problems:
        assert problem.code != "not-lowered" or any(reason in problem.message for reason in REASONS), problem.message
        assert report.source.slice(problem.span)


def test_what_needs_no_tensor_cores_compiles_everywhere() -> None:
    for name in ("add", "add_tiled", "matmul_scalar", "pad", "reduce", "rotate_triple", "swap_s32", "transpose"):
        for arch in TARGETS:
            report = check_file(EXAMPLES / f"{name}.co", Settings(arch=arch))
            assert lowered(report, report.functions[0]).program is not None, (name, arch)
