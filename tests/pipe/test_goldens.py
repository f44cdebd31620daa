"""What each pass makes of some pipelines, and what it changes. A pass without a golden fails here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import pytest

from croqc.pipe.errors import LoweringError
from croqc.pipe.pipeline import PASSES
from tests.pipe.golden import compare
from tests.pipe.lowering import example, kernel_lines, stages_of

FOLDER = Path(__file__).with_name("goldens")
EXAMPLES = (
    "pipeline_course",
    "pipeline_current",
    "persistent_1p2c",
    "swap_f16",
    "gemm_f16",
    "ragged",
    "stored_then_read",
    "softmax",
    "scaled",
    "phases",
    "cluster",
    "by_steps",
)
TARGETS = ("sm_90a", "sm_80", "sm_100a")


def told(name: str, arch: str) -> Iterator[str]:
    """The kernel as built, then what each pass changes, as a unified diff without places."""
    before: list[str] = []
    try:
        for stage, kernel in stages_of(example(name, arch)):
            lines = kernel_lines(kernel)
            yield f"== {stage}"
            if stage == "build":
                yield from lines
            else:
                changes = unified_diff(before, lines, lineterm="", n=1)
                yield from (line for line in changes if not line.startswith(("---", "+++", "@@")))
            before = lines
    except LoweringError as error:
        yield f"== not lowered: {error.message}"


@pytest.mark.parametrize("arch", TARGETS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_each_pass(name: str, arch: str, request: pytest.FixtureRequest) -> None:
    compare(FOLDER / f"{name}.{arch}.txt", "\n".join(told(name, arch)) + "\n", request)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_same_kernel_gives_the_same_bytes(name: str) -> None:
    assert list(told(name, "sm_90a")) == list(told(name, "sm_90a"))


def test_every_pass_has_its_golden() -> None:
    for name in EXAMPLES:
        text = (FOLDER / f"{name}.sm_90a.txt").read_text(encoding="utf-8")
        assert re.findall(r"^== (\w+)$", text, re.MULTILINE) == ["build", *(each for each, _ in PASSES)]


def test_every_pass_changes_one_of_the_goldens() -> None:
    """A pass that no golden shows at work could do anything."""
    idle = {name for name, _ in PASSES}
    for path in FOLDER.iterdir():
        parts = re.split(r"^== (\w+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        idle -= {stage for stage, text in zip(parts[1::2], parts[2::2], strict=True) if text.strip()}
    assert idle == set()


def test_no_golden_is_left_behind() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(f"{n}.{a}.txt" for n in EXAMPLES for a in TARGETS)
