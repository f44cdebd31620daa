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


APART = """// croq: run N=4
__co__ void f(global s32 [N] x) {
  parallel b by 1 : block {
    shared event e[2][3];
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) { wait e[0][1]; }
      inthreads.async (w == 1) { trigger e[1][2]; wait e[1][2]; trigger e[1][2]; trigger e[1][2]; wait e[1][0]; }
    }
  }
}
"""


def test_slots_of_two_dimensions_are_written_as_in_the_source(croq: Croq) -> None:
    Path("k.co").write_text(APART)
    assert "waits for e[0][1], generation 0" in croq("run", "k.co").out
    assert "waits for e[1][0], generation 0" in croq("run", "k.co").out


CLIPS = """// croq: run N=64
__co__ void clip(global s32 [N] x, global s8 [N] q, global u16 [N] u) {
  parallel p by 2 : block, t by 32 : thread {
    q.at(p # t) = __to<s8>(x.at(p # t) > 0 ? 127 : -127);
    u.at(p # t) = __to<u16>(x.at(p # t) > 0 ? 32639 : 21845);
  }
}
"""


def test_what_a_kernel_writes_may_be_what_an_output_started_with(croq: Croq) -> None:
    """127 is 0x7F, 32639 is 0x7F7F, 21845 is 0x5555: what outputs start with, in one run and in the plain order."""
    Path("k.co").write_text(CLIPS)
    assert ": clip N=64: consistent (" in croq("run", "k.co").out
    Path("k.co").write_text(CLIPS.replace("by 2 : block", "by 1 : block"))
    outcome = croq("run", "k.co")
    assert outcome.status == 1
    assert outcome.out.count("32 of 64 still hold what they started with, the first at [32]") == 2


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


@pytest.mark.parametrize("words", [["cuda", "-o"], ["flow", "--html"], ["flow", "--svg"]])
def test_a_full_disk_leaves_the_file_that_was_there(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "k.co").write_text(Path("examples/pipeline_course.co").read_text())
    (tmp_path / "out").write_text("precious\n")
    command = [sys.executable, "-m", "croqc.cli.main", *words, "out", "k.co"]
    limited = [sys.executable, "-c", LIMITED, *command]
    done = subprocess.run(limited, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "out: cannot be written (File too large)" in done.stderr
    assert (tmp_path / "out").read_text() == "precious\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k.co", "out"]


LIMITED = """import os, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_a_new_file_has_the_rights_that_the_shell_gives_and_a_device_is_written_to(tmp_path: Path) -> None:
    text = Path("examples/add.co").read_text()
    (tmp_path / "k.co").write_text(text)
    croq = f"{sys.executable} -m croqc.cli.main"
    command = f"umask 027; {croq} cuda -o new.cu k.co && echo before > log && {croq} cuda -o /dev/stdout k.co >> log"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new.cu").stat().st_mode & 0o777 == 0o640
    log = (tmp_path / "log").read_text()
    assert log.startswith("before\n" + (tmp_path / "new.cu").read_text())


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


@pytest.mark.parametrize(("name", "sizes"), [("rotate_triple", "R=32 C=288"), ("swap_f16", "M=128 K=384 N=192")])
def test_examples_are_verified_at_their_default_sizes(croq: Croq, name: str, sizes: str) -> None:
    example = Path(__file__).parents[2] / "examples" / f"{name}.co"
    lines = example.read_text().splitlines(keepends=True)
    Path("k.co").write_text("".join(line for line in lines if "croq: run" not in line))
    outcome = croq("run", "k.co")
    assert outcome.status == 0
    assert f"{sizes}: verified" in outcome.out


AXPY = """// croq: run N=64
// croq: expect y ~= a * x + RIGHT
__co__ void axpy(global f32 [N] x, global f32 [N] y, float a) {
  parallel p by N : thread y.at(p) = a * x.at(p) + y.at(p);
}
"""


def test_a_kernel_that_works_in_place_is_stated_with_old(croq: Croq) -> None:
    Path("k.co").write_text(AXPY.replace("RIGHT", "old(y)"))
    assert ": verified (" in croq("run", "k.co").out
    Path("k.co").write_text(AXPY.replace("RIGHT", "y"))
    outcome = croq("run", "k.co")
    assert outcome.status == 1
    assert "note: 'y' on the right side is what the kernel left; 'old(y)' is what it was before" in outcome.out


@pytest.mark.parametrize(
    ("right", "place", "message"),
    [
        ("old(N)", "2:34", "'N' is no parameter, so it has no value before the run"),
        ("old(result)", "2:34", "'result' is no parameter, so it has no value before the run"),
        ("old(yy)", "2:34", "'yy' is no parameter, size or result of this kernel"),
        ("old(y + 1)", "2:34", "'old' takes the name of a parameter"),
    ],
)
def test_old_takes_a_parameter(croq: Croq, right: str, place: str, message: str) -> None:
    Path("k.co").write_text(AXPY.replace("RIGHT", right))
    outcome = croq("check", "k.co")
    assert outcome.status == 1
    assert outcome.out.count("error") == 2  # the message and the count of errors
    assert f"k.co:{place}: error: {message}" in outcome.out
    assert ": not-run (" in croq("run", "k.co").out


def test_scalars_that_were_drawn_stand_among_the_sizes(croq: Croq) -> None:
    Path("k.co").write_text(AXPY.replace("RIGHT", "old(y)"))
    sizes = json.loads(croq("run", "--json", "k.co").out)["runs"][0]["sizes"]
    assert sizes["N"] == 64
    assert isinstance(sizes["a"], float)
    again = croq("run", "--json", "-D", f"a={sizes['a']}", "k.co")
    assert json.loads(again.out)["runs"][0]["sizes"] == sizes


def test_differing_elements_are_told_with_their_box(croq: Croq) -> None:
    Path("k.co").write_text("""// croq: expect y == x
__co__ void f(global s32 [8, 6] x, global s32 [8, 6] y) {
  parallel {i, j} by [8, 6] : thread {
    y.at(i, j) = x.at(i, j);
    if (i >= 2 && i < 5 && j > 3) y.at(i, j) = 99;
  }
}
""")
    assert "6 of 48 elements differ, all in [2:5, 4:6]" in croq("run", "k.co").out
    expectation = json.loads(croq("run", "--json", "k.co").out)["runs"][0]["expectations"][0]
    assert expectation["within"] == [[2, 5], [4, 6]]


def test_sizes_that_break_an_assumption_are_noted(croq: Croq) -> None:
    text = """// croq: run N=40
// croq: expect y[0:20] == x[0:20]
__co__ void f(global s32 [N, 8] x, global s32 [N, 8] y) {
  parallel b by 2 : block {
    shared s32 [32, 8] s;
    dma.copy x.chunkat(b, _) => s;
    if (b == 0) dma.copy s => y.subspan(32, 8).at(0, 0);
  }
}
"""
    Path("k.co").write_text(text)
    note = "N % 32 == 0 does not hold: N is 40, so the tiles of 'x' are not whole"
    assert f"  note: {note}\n" in croq("run", "k.co").out
    assert json.loads(croq("run", "--json", "k.co").out)["runs"][0]["notes"][0] == note
    Path("k.co").write_text(text.replace("N=40", "N=64"))
    assert "does not hold" not in croq("run", "k.co").out


def test_a_multiply_of_f32_is_verified_with_the_precision_of_tf32(croq: Croq) -> None:
    kernel = """// croq: expect o ~= FACTORS
__co__ void mm(global f32 [64, 16] a, global f32 [8, 16] b, global f32 [64, 8] o) {
  parallel g by 1 : block {
    shared f32 [64, 16] as;
    shared f32 [8, 16] bs;
    dma.copy a => as;
    dma.copy b => bs;
    parallel w by 1 : group-4 {
      acc = mma.fill.f32 0;
      x = mma.load as; y = mma.load bs;
      mma.row.row acc, x, y;
      mma.commit;
      mma.store acc, o;
    }
  }
}
"""
    Path("k.co").write_text(kernel.replace("FACTORS", "a @ b.T"))
    assert ": verified (" in croq("run", "k.co").out
    Path("k.co").write_text(kernel.replace("o ~= FACTORS", "auto"))
    assert ": consistent (" in croq("run", "k.co").out
    Path("k.co").write_text(kernel.replace("FACTORS", "1.01 * (a @ b.T)"))
    assert ": wrong (" in croq("run", "k.co").out


def test_values_computed_into_tf32_buffers_are_verified_with_its_precision(croq: Croq) -> None:
    Path("k.co").write_text("""// croq: expect o ~= (a * 3) @ b.T
__co__ void mm(global f32 [64, 16] a, global tf32 [8, 16] b, global f32 [64, 8] o) {
  parallel g by 1 : block {
    shared tf32 [64, 16] as;
    shared tf32 [8, 16] bs;
    dma.copy b => bs;
    parallel t by 128 : thread {
      foreach k in 8 { as.at(t / 2, t % 2 * 8 + k) = a.at(t / 2, t % 2 * 8 + k) * 3.0f; }
    }
    sync.shared;
    parallel w by 1 : group-4 {
      acc = mma.fill.f32 0;
      x = mma.load as; y = mma.load bs;
      mma.row.row acc, x, y;
      mma.commit;
      mma.store acc, o;
    }
  }
}
""")
    assert ": verified (" in croq("run", "k.co").out


def test_a_model_that_does_not_fit_says_so_at_its_place(croq: Croq) -> None:
    Path("k.co").write_text("""// croq: model g(x, y) = x + y
__co__ void f(global f32 [8] x, global f32 [8] y) {
  parallel p by 8 : thread { v = call g(x.at(p)); y.at(p) = v; }
}
""")
    outcome = croq("run", "k.co")
    assert "k.co:1:1: the model of 'g' does not fit: it has 2 parameters, 1 values are given" in outcome.out
