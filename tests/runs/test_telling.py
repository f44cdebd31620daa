"""Chosen sizes at which a run can tell mistakes: tiles, turns and elements are several, the last tile is ragged."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.runs.telling import telling_sizes
from croqc.service.check import check_text
from croqc.service.run import RunReport, run_file
from croqc.service.run_plan import Request

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.co"))


def sizes_of(body: str, parameters: str, **given: int) -> dict[str, int]:
    analysis = check_text(f"__co__ void f({parameters}) {{\n{body}\n}}\n").functions[0].analysis
    assert analysis is not None
    return telling_sizes(analysis.model, given)


MATMUL = """// croq: expect c ~= a @ b
__co__ void mm(global f32 [M, K] a, global f32 [K, N] b, global f32 [M, N] c) {
  parallel {i, j} by [cdiv(M, 16), cdiv(N, 16)] : block, {y, x} by [16, 16] : thread {
    r = i * 16 + y; q = j * 16 + x;
    if (r < M && q < N) {
      mutable f32 s = 0.0f;
      foreach k in K { s += a.at(r, k) * b.at(k, q); }
      c.at(r, q) = s;
    }
  }
}
"""


def run(text: str) -> RunReport:
    [report] = run_file(check_text(text), Request(), lambda _: check_text(text))
    return report


def test_a_multiply_gets_two_tiles_a_side_the_last_of_them_ragged() -> None:
    report = run(MATMUL)
    sizes = dict(report.result.sizes)
    assert report.result.verdict.value == "verified"
    assert report.chosen == ("M", "K", "N")
    assert sizes["M"] > 16 and sizes["M"] % 16 and sizes["N"] > 16 and sizes["N"] % 16 and sizes["K"] >= 2
    assert len(set(sizes.values())) == 3


@pytest.mark.parametrize(
    ("right", "mistake"),
    [
        ("s += a", "s = a"),
        ("b.at(k, q)", "b.at(k, r)"),
        ("a.at(r, k)", "a.at(y, k)"),
        ("j * 16 + x", "i * 16 + x"),
    ],
)
def test_a_mistake_in_an_index_is_not_verified(right: str, mistake: str) -> None:
    assert run(MATMUL.replace(right, mistake)).result.verdict.value in ("wrong", "crashed", "not-run")


def test_tiles_that_must_be_whole_stay_whole() -> None:
    body = """parallel b by cdiv(N, 64) : block {
      shared s32 [64] tile;
      dma.copy x.subspan(64).at(b) => tile;
      dma.copy tile => y.subspan(64).at(b);
    }"""
    assert sizes_of(body, "global s32 [N] x, global s32 [N] y") == {"N": 128}
    ragged = body.replace("dma.copy x", "dma.copy.zfill x")
    assert sizes_of(ragged, "global s32 [N] x, global s32 [N] y") == {"N": 65}


def test_an_extent_that_only_constants_speak_of_does_not_grow() -> None:
    body = "parallel p by N : thread { foreach k in [4] { y.at(p, k) = x.at(p, k); } }"
    assert sizes_of(body, "global s32 [N, K] x, global s32 [N, K] y") == {"N": 2, "K": 4}


def test_given_sizes_are_kept() -> None:
    body = "parallel p by N : thread { foreach k in M { y.at(p, k) = x.at(p, k); } }"
    parameters = "global s32 [N, M] x, global s32 [N, M] y"
    assert sizes_of(body, parameters, N=1) == {"N": 1, "M": 2}
    assert sizes_of(body, parameters, N=2) == {"N": 2, "M": 3}


def without_run_lines(example: Path) -> str:
    lines = example.read_text().splitlines(keepends=True)
    return "".join(line for line in lines if "croq: run" not in line)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_agree_at_chosen_sizes(example: Path) -> None:
    report = check_text(without_run_lines(example))
    for item in run_file(report, Request(), lambda _: report):
        assert item.result.verdict.value in ("verified", "consistent"), item
