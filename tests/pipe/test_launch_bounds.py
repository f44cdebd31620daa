"""What the source promises and limits of a launch (reference, 4.2) comes into the kernel, or is refused."""

from __future__ import annotations

import re

import pytest

from croqc.pipe.errors import LoweringError
from croqc.service.check import check_text
from croqc.service.cuda import cuda_of
from croqc.service.settings import Settings
from tests.pipe.lowering import after

TEXT = """__co__ void f(global s32 [N] x, s32 T) {{
  {attributes}
  parallel {cluster}b by N / 256 : block, t by {threads} : thread {{ {body} x.at(b * {threads} + t) = 1; }}
}}
"""


def text_of(attributes: str, threads: int | str = 128, body: str = "", cluster: str = "") -> str:
    return TEXT.format(attributes=attributes, threads=threads, body=body, cluster=cluster)


def printed(text: str) -> str:
    """The qualifiers of the kernel, as CUDA."""
    report = check_text(text, Settings())
    code = cuda_of(report, None, {"N": 1024, "T": 128}).result.text
    found = re.search(r"__global__ void (.*)", code)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("attributes", "threads", "expected"),
    [
        ("", 128, "__launch_bounds__(128)"),
        ("[[launch_bounds(256)]]", 128, "__launch_bounds__(128)"),  # of a block as it is
        ("[[launch_bounds(_, 2)]]", 128, "__launch_bounds__(128, 2)"),
        ("[[launch_bounds(128, 0, 4)]]", 128, "__launch_bounds__(128, 0, 4)"),
        ("[[launch_bounds(0, 2, 4)]]", 128, "__launch_bounds__(128, 2, 4)"),
        ("[[maxnreg(64)]]", 128, "__maxnreg__(64)"),
        ("[[launch_bounds(128)]] [[maxnreg(64)]]", 128, "__maxnreg__(64)"),
        ("[[maxnreg(255)]]", 1024, "__maxnreg__(64)"),  # 65536 registers a multiprocessor
        ("[[maxnreg(255)]]", 300, "__maxnreg__(200)"),  # given to whole warps in steps of 8
    ],
)
def test_promises_and_limits_are_written(attributes: str, threads: int, expected: str) -> None:
    assert printed(text_of(attributes, threads)) == expected


def test_the_older_statements_mean_the_same() -> None:
    assert printed(text_of("", body="launch_bounds(128, 2);")) == "__launch_bounds__(128, 2)"
    assert printed(text_of("", body="setreg 64;")) == "__maxnreg__(64)"


def test_clusters_of_a_known_size_need_no_promise() -> None:
    text = text_of("[[launch_bounds(128, 2, 4)]]", cluster="c by 2 : cluster, ")
    assert printed(text) == "__cluster_dims__(2, 1, 1) __launch_bounds__(128, 2)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            text_of("[[launch_bounds(_, 2)]] [[maxnreg(64)]]"),
            "CUDA takes no 'maxnreg' beside the blocks that 'launch_bounds' names: keep one of them",
        ),
        (
            text_of("[[launch_bounds(64)]]", "T"),
            "a block would have 128 threads: promise as many, or write '_'",
        ),
        (
            text_of("").replace(": block", ": block<cooperative>"),
            "a cooperative launch, with its barrier of the grid, is not lowered yet: split the kernel",
        ),
    ],
)
def test_what_cuda_does_not_take_is_refused_at_its_place(text: str, message: str) -> None:
    with pytest.raises(LoweringError) as error:
        after("build", text, {"N": 1024, "T": 128})
    assert error.value.message.startswith(message)
    marks = {"maxnreg": "[[maxnreg(64)]]", "cooperative": "block<cooperative>", "promise": "[[launch_bounds(64)]]"}
    place = next(mark for word, mark in marks.items() if word in message)
    assert text[error.value.span.start : error.value.span.end] == place
