"""Faults that were found by attacking the commands; each stays mended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Croq

GOOD = """__co__ void f(global s32 [N] x, global s32 [N] y) {
  parallel p by N : thread
    y.at(p) = x.at(p) + 1;
}
"""


@pytest.mark.parametrize(
    "line",
    ["expect y ==", "expect y", "expect y ~= x rtol=-1", "run N", "run N=99999999999999999999999999", "exepct y == x"],
)
def test_a_malformed_directive_keeps_its_function_from_running(croq: Croq, line: str) -> None:
    other = GOOD.replace("void f", "void g")
    Path("k.co").write_text(f"// croq: run N=8\n// croq: {line}\n{GOOD}\n// croq: run N=8\n{other}")
    outcome = croq("run", "k.co")
    assert outcome.status == 1
    assert ": f N=8: not-run (" in outcome.out
    assert ": g N=8: consistent (" in outcome.out


def test_data_that_is_too_large_is_told_before_it_is_made(croq: Croq) -> None:
    Path("k.co").write_text(f"// croq: run N={2**40}\n{GOOD}")
    outcome = croq("run", "k.co")
    assert outcome.status == 1
    assert "its data would take 8,192 GiB, a run takes up to 16" in outcome.out


def test_what_nobody_wrote_does_not_agree_with_itself(croq: Croq) -> None:
    Path("k.co").write_text("// croq: run N=64\n" + GOOD.replace("by N", "by 32"))
    outcome = croq("run", "k.co")
    assert outcome.status == 1
    assert "FAIL every element of y is written" in outcome.out
    assert "32 of 64 still hold what they started with, the first at [32]" in outcome.out


def test_a_kernel_without_outputs_says_so(croq: Croq) -> None:
    Path("k.co").write_text("__co__ void f(global s32 [8] x) {\n  parallel p by 8 : thread { v = x.at(p); }\n}\n")
    assert "it writes no output, so there is nothing to compare" in croq("run", "k.co").out


def test_an_expectation_of_no_element_verifies_nothing(croq: Croq) -> None:
    Path("k.co").write_text("// croq: run N=8\n// croq: expect y[0:0] == 7\n" + GOOD)
    outcome = croq("run", "k.co")
    assert outcome.status == 1
    assert "k.co:2:1: this compares no element" in outcome.out


def test_one_file_with_a_usage_error_does_not_hide_the_others(croq: Croq) -> None:
    Path("a.co").write_text("// croq: run N=8\n" + GOOD)
    Path("b.co").write_text(GOOD + GOOD.replace("void f", "void g"))
    Path("c.co").write_text("// croq: run N=4\n" + GOOD)
    outcome = croq("run", "--json", "a.co", "b.co", "c.co")
    assert outcome.status == 2
    assert [run["path"] for run in json.loads(outcome.out)["runs"]] == ["a.co", "c.co"]
    assert "name one with --entry" in outcome.err


def test_a_link_is_followed_and_a_read_only_file_is_left_alone(croq: Croq) -> None:
    broken = GOOD.replace("+ 1;", "+ 1")
    Path("k.co").write_text(broken)
    Path("link.co").symlink_to("k.co")
    assert croq("fix", "--write", "link.co").status == 0
    assert Path("link.co").is_symlink()
    assert Path("k.co").read_text() == GOOD
    Path("k.co").write_text(broken)
    Path("k.co").chmod(0o444)
    outcome = croq("fix", "--write", "k.co")
    assert outcome.status == 2
    assert "is read-only" in outcome.err
    assert Path("k.co").read_text() == broken


@pytest.mark.parametrize("words", [["check", "k.co"], ["run", "--json", "k.co"], ["explain"]])
def test_output_that_cannot_be_written(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "k.co").write_text("// croq: run N=8\n" + GOOD)
    command = [sys.executable, "-m", "croqc.cli.main", *words]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "croq: No space left on device\n")
    closed = subprocess.run(
        ["sh", "-c", f"{' '.join(command)} >&-"], cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False
    )
    assert (closed.returncode, closed.stderr) == (0, "")


def test_characters_that_the_terminal_lacks_are_spelled_out(tmp_path: Path) -> None:
    (tmp_path / "k.co").write_text(GOOD.replace("x.at(p) + 1;", "/*é*/ zz;"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "croqc.cli.main", "check", "k.co"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "/*\\xe9*/ zz;" in done.stdout


def test_tma_on_rows_that_it_cannot_take_crashes_at_entry(croq: Croq) -> None:
    Path("k.co").write_text("""// croq: run M=37 N=53
// croq: expect o == a
__co__ void f(global s32 [M, N] a, global s32 [M, N] o) {
  parallel {i, j} by [cdiv(M, 32), cdiv(N, 32)] : block {
    shared s32 [32, 32] buf;
    tma.copy a.subspan(32, 32).at(i, j) => buf;
    tma.copy buf => o.subspan(32, 32).at(i, j);
  }
}
""")
    outcome = croq("run", "k.co")
    assert outcome.status == 1
    assert "crashed" in outcome.out
    assert "k.co:6:5: TMA cannot take 'a': a stride of 212 bytes is no multiple of 16" in outcome.out


@pytest.mark.parametrize(("name", "sizes"), [("rotate_triple", "R=16 C=288"), ("swap_f16", "M=64 K=384 N=64")])
def test_examples_are_verified_at_their_default_sizes(croq: Croq, name: str, sizes: str) -> None:
    example = Path(__file__).parents[2] / "examples" / f"{name}.co"
    lines = example.read_text().splitlines(keepends=True)
    Path("k.co").write_text("".join(line for line in lines if "croq: run" not in line))
    outcome = croq("run", "k.co")
    assert outcome.status == 0
    assert f"{sizes}: verified" in outcome.out
