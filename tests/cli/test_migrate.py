"""`croq migrate` on files: what it prints, writes and answers."""

from pathlib import Path

import pytest

from croqc.cli.main import main

CLASSIC = """\
// ä
__co__ void f(global f16 [M, K] a) {
  parallel b by cdiv(M, 64) : block {
    shared event full, done;
    shared f16 [64, 64] a_s;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        tma.copy.async<full>.swiz<3> a.subspan(64, 64).at(b, 0) => a_s; // first
        trigger full;
        foreach i in 2 { wait<0> done; }
      }
    }
  }
}
"""
CURRENT = CLASSIC.replace("tma.copy.async<full>.swiz<3>", "a_f = tma.copy.async.swiz<128>").replace(
    "trigger full;", "trigger full after a_f;"
)


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.co"
    path.write_text(CLASSIC, encoding="utf-8")
    return path


def test_the_diff_is_shown_and_nothing_written(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", str(kernel)]) == 0
    said = capsys.readouterr()
    added = [line for line in said.out.splitlines() if line.startswith("+ ")]
    assert added == [f"+{line}" for line in CURRENT.splitlines() if line not in CLASSIC.splitlines()]
    assert said.err == (
        f"{kernel}:10:30: warning: the phase stays: in a loop the phase changes from round to round; "
        "write 'wait e.at(order)'\n"
    )
    assert kernel.read_text(encoding="utf-8") == CLASSIC


def test_the_file_is_written(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "--write", str(kernel)]) == 0
    assert kernel.read_text(encoding="utf-8") == CURRENT
    assert capsys.readouterr().out == f"{kernel}: 2 changes to the current dialect\n"


def test_line_ends_of_windows_stay(kernel: Path) -> None:
    kernel.write_bytes(CLASSIC.replace("\n", "\r\n").encode())
    assert main(["migrate", "--write", str(kernel)]) == 0
    assert kernel.read_bytes() == CURRENT.replace("\n", "\r\n").encode()


def test_macros_of_the_command_line_are_seen(kernel: Path) -> None:
    text = CLASSIC.replace("swiz<3>", "swiz<LEVEL>").replace("cdiv(M, 64)", "BLOCKS")
    kernel.write_text(text, encoding="utf-8")
    assert main(["migrate", "--write", "-D", "BLOCKS=4", "-D", "LEVEL=128", str(kernel)]) == 0
    assert "a_f = tma.copy.async.swiz<LEVEL>" in kernel.read_text(encoding="utf-8")


def test_wrong_usage(kernel: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", str(tmp_path / "none.co")]) == 2
    assert "there is no such file" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stop:
        main(["migrate", "--to", "classic", str(kernel)])
    assert stop.value.code == 2


def test_a_file_with_errors_is_left_as_it_is(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel.write_text("__co__ void f() { dma.copy => ; }\n", encoding="utf-8")
    assert main(["migrate", "--write", str(kernel)]) == 0
    said = capsys.readouterr()
    assert said.err == f"{kernel}: a function with syntax errors left as it is\n"
    assert said.out == f"{kernel}: 0 changes to the current dialect\n"
