"""Who reads "proved" or "verified" is told what was not looked at; words of CUDA are answered with those of here."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.cli.main import main
from tests.cli.test_order_alone import EXAMPLES, said

LINE = "  proved: the order of paths, events and copies; not races between threads inside one path\n"


def test_flow_says_what_proved_covers_and_a_failure_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (EXAMPLES / "pipeline_course.co").read_text(encoding="utf-8")
    assert said("flow", text, tmp_path / "k.co", capsys).endswith(LINE)
    broken = text.replace("trigger full[stage];", "")
    assert broken != text
    failed = said("flow", broken, tmp_path / "k.co", capsys)
    assert "credit flow fails" in failed
    assert "inside one path" not in failed


def test_check_and_run_say_it_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (EXAMPLES / "pipeline_course.co").read_text(encoding="utf-8")
    checked = said("check", text, tmp_path / "k.co", capsys).splitlines()
    assert checked[-2] == LINE.strip()
    ran = said("run", text, tmp_path / "k.co", capsys).splitlines()
    assert ran[-2] == "verified: these sizes and schedules; not races between threads inside one path"
    broken = said("check", text.replace("trigger full[stage];", ""), tmp_path / "k.co", capsys)
    assert "inside one path" not in broken


@pytest.mark.parametrize("form", ["--ptx", "--sass"])
def test_lines_stand_beside_cuda_alone(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cuda", str(EXAMPLES / "pipeline_course.co"), "--lines", form]) == 2
    assert capsys.readouterr().err == f"croq: '--lines' stands beside CUDA C++, not beside '{form}'\n"


def test_the_page_carries_the_scope_and_its_command_prints_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "flow.html"
    main(["flow", str(EXAMPLES / "pipeline_course.co"), "--html", str(page)])
    told = capsys.readouterr().out
    assert told.endswith("credit flow proved for every K; of the order alone, for indices see 'assumed-divisible'\n")
    assert "not of races between threads inside one path" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("proved", "not races between threads inside one path"),
        ("checked", "not proved for all"),
        ("verified", "races between them are not seen"),
        ("consistent", "No `expect` line"),
        ("for", "`with i in [n] foreach i(1:)` for `for (int i = 1; i < n; i++)`"),
        ("__syncthreads", "`sync.shared`"),
        ("__syncthreads()", "`sync.shared`"),
        ("threadIdx", "`parallel t by 128 : thread`"),
        ("threadIdx.x", "`parallel t by 128 : thread`"),
        ("gridDim.y", "`#b`"),
        ("__global__", "`__co__`"),
        ("__shared__", "`shared f32 [32, 33] tile;`"),
    ],
)
def test_explain_knows_verdicts_and_words_of_cuda(word: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", word]) == 0
    assert told in capsys.readouterr().out


@pytest.mark.parametrize("word", ["threadIdx.t", "blockIdx.", "provedx"])
def test_other_words_stay_unknown(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", word]) == 2
    assert "no rule and no word" in capsys.readouterr().err
