"""A program and its data on the way to the child and back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from croqc.codegen.program import Program, program_of
from croqc.engines.gpu.figures import bytes_moved, operations
from croqc.engines.gpu.job import make_job, outputs_of
from croqc.engines.gpu.protocol import Answer, Job
from croqc.pipe.lower import lowered_kernels
from croqc.service.check import check_file, check_text
from croqc.targets import find_target

EXAMPLES = Path(__file__).parents[2] / "examples"


def program(name: str, report: bool = False, **sizes: int) -> Program:
    checked = check_file(EXAMPLES / name)
    analysis, target = checked.functions[0].analysis, find_target("sm_90a")
    assert analysis is not None and target is not None
    return program_of(analysis.model, lowered_kernels(analysis.model, target, sizes), sizes, name, report=report)


def test_a_job_is_the_same_behind_the_wire(tmp_path: Path) -> None:
    made = program("pipeline_1p2c.co", M=256, N=128, K=512)
    data = {name: np.ones((256, 512), np.float16) for name in ("lhs", "rhs")}
    job = replace(make_job(made, data, tmp_path, "sm_90a", repeat=3), wait_limit=0.5, report="r", number=7)
    assert Job.of_json(json.loads(json.dumps(job.to_json()))) == job
    (launch,) = job.launches
    assert launch.grid == (2, 2, 1) and launch.threads == 384
    maps = [each for each in launch.args if each.kind == "map"]
    assert [(each.array, each.extents, each.strides, each.box) for each in maps] == [
        ("lhs", (512, 256), (1024,), (64, 128)),
        ("rhs", (512, 128), (1024,), (64, 64)),
        ("output", (128, 256), (256,), (64, 128)),
    ]
    assert not any(each.kind == "pointer" for each in launch.args)  # what nothing but transfers touch
    assert {each.name: each.size for each in job.arrays} == {
        "lhs": 256 * 512 * 2,
        "rhs": 128 * 512 * 2,
        "output": 256 * 128 * 2,
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lhs.in", "rhs.in"]


def test_an_answer_is_the_same_behind_the_wire() -> None:
    answer = Answer(
        "done",
        "",
        0.5,
        True,
        (1.0, 2.0),
        "log",
        {"k": 40},
        {"k": 0},
        "card",
        notes=("n",),
        printed="p",
        phases={"run": 0.5},
    )
    assert Answer.of_json(json.loads(json.dumps(answer.to_json()))) == answer


@pytest.mark.parametrize("data", [{}, {"stage": 3}, {"stage": "done", "error": None}, {"stage": "done", "more": 1}])
def test_what_is_no_answer_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        Answer.of_json(data)


def test_what_comes_back_has_its_shape(tmp_path: Path) -> None:
    made = program("add.co", M=3, N=5)
    for number, array in enumerate(made.arrays):
        np.full((3, 5), number, np.float32).tofile(tmp_path / f"{array.name}.out")
    back = outputs_of(made, tmp_path)
    assert {name: (each.shape, each.dtype) for name, each in back.items()} == dict.fromkeys(
        ("a", "b", "sum"), ((3, 5), np.dtype(np.float32))
    )
    (tmp_path / "sum.out").write_bytes(b"short")
    with pytest.raises(ValueError, match="reshape"):
        outputs_of(made, tmp_path)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("pipeline_1p2c.co", {"M": 256, "N": 128, "K": 512}),
        ("persistent_1p2c.co", {"M": 1024, "N": 512, "K": 256}),
        ("pipeline_course.co", {"M": 128, "N": 128, "K": 512}),
    ],
)
def test_operations_of_a_gemm(name: str, sizes: dict[str, int]) -> None:
    """Whole tiles: 2 M N K."""
    assert operations(program(name, **sizes), sizes) == 2 * sizes["M"] * sizes["N"] * sizes["K"]


WARPS = """__co__ void corr(global f16 [P, D] q, global f16 [S, D] k, global f32 [P, S] out) {
  parallel {i, j} by [P / 16, S / 8] : block {
    parallel w by WARPS : group {
      ROLE {
        acc = mma.fill.f32 0;
        foreach t in [D / 16] {
          x = mma.load q.subspan(16, 16).at(i, t);
          y = mma.load k.subspan(8, 16).at(j, t);
          mma.row.row acc, x, y;
        }
        mma.store acc, out.subspan(16, 8).at(i, j);
      }
    }
  }
}
"""


@pytest.mark.parametrize(
    ("warps", "role", "times"),
    [(1, "if (true)", 1), (4, "if (true)", 4), (8, "inthreads.async (w >= 5)", 3), (8, "inthreads.async (w < 4)", 4)],
)
def test_each_warp_that_multiplies_counts(warps: int, role: str, times: int) -> None:
    sizes = {"P": 16, "S": 8, "D": 32}
    analysis = check_text(WARPS.replace("WARPS", str(warps)).replace("ROLE", role)).functions[0].analysis
    target = find_target("sm_90a")
    assert analysis is not None and target is not None
    made = program_of(analysis.model, lowered_kernels(analysis.model, target, sizes), sizes, "k")
    assert operations(made, sizes) == times * 2 * 16 * 8 * 32


def test_padding_counts_as_executed() -> None:
    sizes = {"M": 100, "N": 100, "K": 512}
    whole = operations(program("matmul_ragged.co", **sizes), sizes)
    assert whole is not None and whole > 2 * 100 * 100 * 512


def test_without_multiplies_there_are_no_operations() -> None:
    made = program("add.co", M=3, N=5)
    assert operations(made, {"M": 3, "N": 5}) == 0
    assert bytes_moved(made, frozenset({"a", "b"}), frozenset({"sum"})) == 3 * 3 * 5 * 4


def test_a_program_that_does_not_report_has_no_trace_of_it() -> None:
    plain = program("pipeline_1p2c.co", M=256, N=128, K=512)
    assert plain.unit.sites is None
    assert "report" not in plain.unit.text


def test_each_wait_of_a_reporting_program_has_its_number() -> None:
    made = program("pipeline_1p2c.co", report=True, M=256, N=128, K=512)
    text = (EXAMPLES / "pipeline_1p2c.co").read_text(encoding="utf-8")
    checked = check_file(EXAMPLES / "pipeline_1p2c.co")
    base = checked.functions[0].base
    said = [text[base + site.span.start : base + site.span.end] for site in made.unit.sites]
    assert [each.rstrip(";") for each in said] == ["wait empty[stage]", "wait full[stage]"]
    assert "mbarrier_wait_reported(empty + stage, empty_phase >> stage & 1, report, 1, stage," in made.unit.text
    assert "const __grid_constant__ WaitReport report)" in made.unit.text
