"""Bad input gets a clear message with its place, never a traceback, and nothing is written."""

from __future__ import annotations

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


@pytest.mark.parametrize("command", ["check", "run", "fix", "fmt", "dump"])
@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("missing.co", None, "there is no such file"),
        ("binary.co", b"\x7fELF\0\0\1", "is a binary file"),
        ("latin.co", GOOD.encode() + b"// caf\xe9\n", "is not UTF-8 text"),
        ("large.co", b"/" * (16 * 1024 * 1024 + 1), "is over 16 MiB"),
        ("folder", "folder", "is a folder"),
    ],
)
def test_files_that_cannot_be_used(croq: Croq, command: str, name: str, data: bytes | str | None, reason: str) -> None:
    path = Path(name)
    if data == "folder":
        path.mkdir()
    elif isinstance(data, bytes):
        path.write_bytes(data)
    outcome = croq(command, name)
    assert outcome.status == 2
    assert outcome.err.startswith(f"croq: {name}")
    assert reason in outcome.err
    assert outcome.out == ""
    if isinstance(data, bytes):
        assert path.read_bytes() == data


def test_one_bad_file_does_not_hide_the_others(croq: Croq) -> None:
    Path("k.co").write_text(GOOD)
    outcome = croq("check", "missing.co", "k.co")
    assert outcome.status == 2
    assert "no mistakes in 1 file" in outcome.out


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "int main() { return 0; }\n"])
def test_files_without_a_kernel_get_one_warning(croq: Croq, text: str) -> None:
    Path("k.co").write_text(text, encoding="utf-8")
    outcome = croq("check", "k.co")
    assert outcome.status == 0
    assert "1 warning in 1 file" in outcome.out
    run = croq("run", "k.co")
    assert (run.status, run.err) == (2, "croq: k.co: has no '__co__' function to run\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_tabs_marks_and_wide_characters(croq: Croq, newline: str) -> None:
    text = "\ufeff// 界 é 😀\n" + GOOD.replace("    y.at", "\ty.at").replace("x.at(p) + 1", "/* 😀 */ zz.at(p) + 1")
    Path("k.co").write_bytes(text.replace("\n", newline).encode())
    outcome = croq("check", "k.co")
    assert outcome.status == 1
    assert "k.co:4:20: error: 'zz' is not declared here" in outcome.out
    assert "\n  \t                  ^^\n" in outcome.out


def test_a_macro_that_recurses(croq: Croq) -> None:
    Path("k.co").write_text("#define A B + 1\n#define B A + 1\n" + GOOD.replace("+ 1;", "+ A;"))
    outcome = croq("check", "k.co")
    assert outcome.status == 1
    assert "k.co:5:25: error: 'A' is not declared here" in outcome.out


def test_a_macro_that_explodes(croq: Croq) -> None:
    lines = ["#define A0 1 + 1"] + [f"#define A{i} A{i - 1} + A{i - 1} + A{i - 1}" for i in range(1, 30)]
    Path("k.co").write_text("\n".join(lines) + "\n" + GOOD.replace("+ 1;", "+ A29;"))
    outcome = croq("check", "k.co")
    assert outcome.status == 1
    assert "[preprocessor-error]" in outcome.out


def test_sizes_that_break_an_assertion(croq: Croq) -> None:
    text = GOOD.replace("{\n", '{\n  assert(N % 4 == 0, "N must be a multiple of 4");\n', 1)
    Path("k.co").write_text("// croq: run N=6\n// croq: expect y == x + 1\n" + text)
    outcome = croq("run", "k.co")
    assert outcome.status == 1
    assert ": crashed (" in outcome.out
    assert "k.co:4:" in outcome.out
    assert "N must be a multiple of 4" in outcome.out


def test_an_expectation_of_an_unknown_name(croq: Croq) -> None:
    Path("k.co").write_text("// croq: run N=6\n// croq: expect y == xx + 1\n" + GOOD)
    outcome = croq("run", "k.co")
    assert outcome.status == 1
    assert "k.co:2:22: " in outcome.out
    assert "'xx'" in outcome.out


def test_a_run_line_of_an_unknown_size(croq: Croq) -> None:
    Path("k.co").write_text("// croq: run NN=6\n" + GOOD)
    outcome = croq("run", "k.co")
    assert outcome.status == 1
    assert "k.co:1:14: 'NN' is no size or scalar parameter of this kernel; did you mean 'N'?" in outcome.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-D"], "expected one argument"),
        (["-D", "=3"], "macro name missing after '-D'"),
        (["-D", "3X"], "'-D 3X' is no name"),
        (["-D", "QQ=1"], "'-D QQ' is neither a macro nor a size here"),
        (["-D", "N=abc"], "must give a number"),
        (["--entry", "g"], "there is no function 'g'; known: f"),
        (["--arch", "sm_99"], "unknown architecture 'sm_99'"),
        (["--schedules", "0"], "must be at least 1"),
        (["--seed", "x"], "--seed takes a whole number, not 'x'"),
    ],
)
def test_usage_errors(croq: Croq, words: list[str], message: str) -> None:
    Path("k.co").write_text(GOOD)
    outcome = croq("run", "k.co", *words)
    assert outcome.status == 2
    assert message in outcome.err


@pytest.mark.parametrize(
    ("type_", "value", "holds"),
    [
        ("int", "2147483648", "s32, which holds -2,147,483,648 to 2,147,483,647"),
        ("u32", "-1", "u32, which holds 0 to 4,294,967,295"),
        ("u8", "256", "u8, which holds 0 to 255"),
    ],
)
def test_a_parameter_beyond_its_type(croq: Croq, type_: str, value: str, holds: str) -> None:
    kernel = GOOD.replace("f(", f"f({type_} n, ")
    assert kernel != GOOD
    Path("k.co").write_text(kernel)
    for command in ("run", "flow"):
        outcome = croq(command, "k.co", "-D", f"n={value}")
        assert outcome.status == 2
        assert f"k.co: 'n' is of type {holds}" in outcome.err
    Path("k.co").write_text(f"// croq: run N=8 n={value}\n" + kernel)
    outcome = croq("run", "k.co")
    assert outcome.status == 1
    assert f"'n' is of type {holds}" in outcome.out


def test_several_functions_need_an_entry(croq: Croq) -> None:
    Path("k.co").write_text(GOOD + GOOD.replace("void f", "void g"))
    outcome = croq("run", "k.co")
    assert outcome.status == 2
    assert "name one with --entry: f, g" in outcome.err
    assert croq("run", "--entry", "g", "k.co").status == 0


def test_a_kernel_that_never_ends(croq: Croq) -> None:
    loop = "    mutable int i = 0;\n    while (i >= 0) { i = 0; }\n    y.at(p) = i;\n"
    body = "  parallel p by 1 : thread {\n" + loop + "  }\n}\n"
    Path("k.co").write_text("// croq: run N=1\n" + GOOD.splitlines()[0] + "\n" + body)
    outcome = croq("run", "--max-steps", "2000", "k.co")
    assert outcome.status == 1
    assert ": crashed (" in outcome.out
    assert "2000 steps" in outcome.out.replace(",", "")
    assert "k.co:5:" in outcome.out


def test_a_kernel_with_errors_is_not_run(croq: Croq) -> None:
    Path("k.co").write_text("// croq: run N=4\n" + GOOD.replace("x.at(p)", "zz"))
    outcome = croq("run", "k.co")
    assert outcome.status == 1
    assert ": not-run (" in outcome.out
    assert "k.co:4:15: it has errors; the first: 'zz' is not declared here" in outcome.out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("arch = 3\n", "1:1: arch must be a text such as 'sm_90a'"),
        ('# arch\n  arch = "sm_91"\n', "2:3: unknown architecture 'sm_91'; known are sm_80, "),
        ("colour = 1\n", "1:1: unknown key 'colour'; known are arch, dialect, defines, allow"),
        ('arch = "sm_80"\nalow = ["unused-event"]\n', "2:1: unknown key 'alow'; did you mean 'allow'?"),
        ("[define]\nX = 1\n", "1:2: unknown key 'define'; did you mean 'defines'?"),
        ('[check]\nallow = ["unused-event"]\n', "1:2: unknown key 'check'; known are arch, dialect, defines, allow"),
        ('check.allow = ["unused-event"]\n', "1:1: unknown key 'check'; known are arch, dialect, defines, allow"),
        ("arch = [\n", "croq.toml: "),
        ("arch = sm_80\n", "1:8: Invalid value"),
        ('dialect = "old"\n', "1:1: dialect must be 'any' or 'current'"),
        ('allow = "unused-event"\n', "1:1: allow must be a list of rule names"),
        ('allow = [3]\n', "1:1: allow must be a list of rule names"),
        ('allow = ["allow", "unused-event"]\n', "1:11: there is no rule 'allow'; 'croq explain' lists them"),
        ('allow = [\n  "unused-event", # unusd-event\n  "unusd-event",\n]\n',
         "3:4: there is no rule 'unusd-event'; did you mean 'unused-event'?"),
        ('allow = ["syntax-error"]\n', "1:11: 'syntax-error' cannot be allowed"),
        ("defines = 3\n", "1:1: defines must be a table of names and texts or numbers"),
        ("[defines]\nOK = 1\nX = 1.5\n", "3:1: 'X' in defines must be a text, an integer or a bool"),
        ("[defines]\n1x = 2\n", "2:1: '1x' in defines is no name of a macro; letters, digits and '_' make one"),
    ],
)  # fmt: skip
def test_a_bad_project_file(croq: Croq, text: str, told: str) -> None:
    """Each with its place and the way out."""
    Path("k.co").write_text(GOOD)
    Path("croq.toml").write_text(text)
    outcome = croq("check", "k.co")
    assert outcome.status == 2
    assert told in outcome.err
    assert f"{Path('croq.toml').absolute()}:" in outcome.err
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"arch = 3\0", "croq.toml: is a binary file, not TOML"),
        (b"#" * (16 * 1024 * 1024 + 1), "croq.toml: is over 16 MiB, too large for settings"),
    ],
)
def test_a_project_file_that_is_none(croq: Croq, data: bytes, message: str) -> None:
    Path("k.co").write_text(GOOD)
    Path("croq.toml").write_bytes(data)
    outcome = croq("check", "k.co")
    assert outcome.status == 2
    assert message in outcome.err


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "k.co").write_text(GOOD)
    command = f"{sys.executable} -m croqc.cli.main explain | head -n 1"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
