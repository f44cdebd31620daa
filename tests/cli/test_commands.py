"""What the subcommands print, write and return."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import shtab

from croqc import __version__
from croqc.builtins import ROWS
from croqc.cli.completion import SHELLS
from croqc.cli.main import COMMANDS, build_parser
from croqc.rules.page import page_text
from croqc.rules.table import BY_NAME, all_rules
from croqc.service.explain import word_text
from croqc.service.explain_cuda import CUDA
from tests.cli.conftest import Croq

CLEAN = """__co__ void f(global s32 [N] x, global s32 [N] y) {
  parallel p by N : thread
    y.at(p) = x.at(p) + 1;
}
"""
BROKEN = CLEAN.replace("+ 1;", "+ 1")
WARNING = "int main() {}\n"


def test_version_and_help(croq: Croq) -> None:
    assert croq("--version").out == f"croq {__version__}\n"
    for name in COMMANDS:
        outcome = croq(name, "--help")
        assert outcome.status == 0
        assert f"croq {name}" in outcome.out
        assert "examples:" in outcome.out


def test_no_command_is_a_usage_error(croq: Croq) -> None:
    assert croq().status == 2
    assert croq("chekc").status == 2


def test_the_json_of_check(croq: Croq) -> None:
    Path("k.co").write_text("// 😀\n" + BROKEN.replace("x.at", "/*😀*/ x.at"), encoding="utf-8")
    outcome = croq("check", "--json", "k.co")
    assert outcome.status == 1
    result = json.loads(outcome.out)
    assert result["version"] == 1
    (file,) = result["files"]
    assert (file["path"], file["dialect"]) == ("k.co", "any")
    (item,) = file["diagnostics"]
    assert (item["code"], item["severity"]) == ("syntax-error", "error")
    assert set(item) == {"code", "severity", "message", "range", "related", "fixes"}
    (fix,) = item["fixes"]
    assert set(fix) == {"title", "kind", "safe", "edits"}
    # The emoji counts two: `    y.at(p) = /*😀*/ x.at(p) + 1` ends at column 14 + 7 + 11.
    assert fix["edits"] == [
        {"range": {"start": {"line": 3, "character": 32}, "end": {"line": 3, "character": 32}}, "newText": ";"}
    ]


def test_strict_makes_warnings_fail(croq: Croq) -> None:
    Path("k.co").write_text(WARNING)
    assert croq("check", "k.co").status == 0
    assert croq("check", "--strict", "k.co").status == 1


def test_fix_shows_and_writes(croq: Croq) -> None:
    Path("k.co").write_bytes(BROKEN.replace("\n", "\r\n").encode())
    shown = croq("fix", "k.co")
    assert shown.status == 0
    assert "+    y.at(p) = x.at(p) + 1;" in shown.out
    assert Path("k.co").read_bytes() == BROKEN.replace("\n", "\r\n").encode()
    written = croq("fix", "--write", "k.co")
    assert written.out == "k.co: 1 fix applied\n"
    assert Path("k.co").read_bytes() == CLEAN.replace("\n", "\r\n").encode()
    assert croq("fix", "--write", "k.co").out == "k.co: 0 fixes applied\n"


def test_fix_takes_one_rule_only(croq: Croq) -> None:
    Path("k.co").write_text(BROKEN)
    assert croq("fix", "--write", "--rule", "undeclared-name", "k.co").out == "k.co: 0 fixes applied\n"
    assert croq("fix", "--rule", "no-such-rule", "k.co").status == 2


def test_unsafe_fixes_are_left_out_unless_asked_for(croq: Croq) -> None:
    text = CLEAN.replace("by N", "by cdiv(N, TILE)")
    Path("k.co").write_text(text)
    assert croq("fix", "--write", "k.co").out == "k.co: 0 fixes applied\n"
    assert croq("fix", "--write", "--unsafe", "k.co").out == "k.co: 1 fix applied\n"
    assert Path("k.co").read_text().startswith("#define TILE ")


def test_fmt(croq: Croq) -> None:
    ugly = CLEAN.replace("    y.at(p) = x.at(p) + 1;", "y.at( p )=x.at(p)+1 ;")
    Path("k.co").write_text(ugly)
    assert croq("fmt", "--check", "k.co").status == 1
    assert Path("k.co").read_text() == ugly
    assert "+    y.at(p) = x.at(p) + 1;" in croq("fmt", "--diff", "k.co").out
    assert croq("fmt", "k.co").out == "k.co: formatted\n"
    assert Path("k.co").read_text() == CLEAN
    assert croq("fmt", "--check", "k.co").status == 0


def test_fmt_leaves_broken_code_alone_and_says_so(croq: Croq) -> None:
    Path("k.co").write_text(BROKEN)
    outcome = croq("fmt", "k.co")
    assert outcome.err == "k.co: 'f' has syntax errors and is left as it is\n"
    assert Path("k.co").read_text() == BROKEN


def test_explain(croq: Croq) -> None:
    assert croq("explain", "undeclared-name").out.startswith("# undeclared-name\n")
    assert croq("explain", "T01").out.startswith("# undeclared-name\n")
    listed = croq("explain").out.split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == sorted(rule.name for rule in all_rules())
    wrong = croq("explain", "undeclared-nam")
    assert (wrong.status, "did you mean 'undeclared-name'?" in wrong.err) == (2, True)


def test_explain_lists_every_word_of_the_language(croq: Croq) -> None:
    words = croq("explain").out.split("\n\n")[1].split()
    assert set(ROWS) <= set(words)


@pytest.mark.parametrize(
    ("name", "word"), [("max", "__max"), ("exp", "__exp"), ("fmaxf", "__max"), ("sqrtf", "__sqrt"), ("abs", "__fabs")]
)
def test_explain_tells_functions_of_c_by_the_built_in(croq: Croq, name: str, word: str) -> None:
    assert croq("explain", name).out.startswith(f"# {word}\n")


def test_explain_suggests_words_and_rules(croq: Croq) -> None:
    assert croq("explain", "forech").err == "croq: there is no rule and no word 'forech'; did you mean 'foreach'?\n"
    assert croq("explain", "zzz").err == "croq: there is no rule and no word 'zzz'; 'croq explain' lists both\n"


def test_explain_shows_what_a_fix_changes(croq: Croq) -> None:
    """The page holds both texts whole; a reader sees the line that differs and those around it."""
    told = croq("explain", "credit-deadlock").out
    bootstrap = "+        foreach {s} in [2] {\n+          trigger empty[s];\n+        }\n"
    assert bootstrap in told
    assert "co fixed" not in told
    assert len(told.splitlines()) < len((page_text("credit-deadlock") or "").splitlines()) * 3 / 4


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("croq: run", "NAME=VALUE"),
        ("wait", "wait"),
        ("dma.copy", "Copies a tile"),
        ("chunkat", "chunkat"),
        ("cdiv", "cdiv(a, b)"),
        ("f16", "16"),
    ],
)
def test_explain_knows_the_words_of_the_language(croq: Croq, word: str, part: str) -> None:
    outcome = croq("explain", word)
    assert outcome.status == 0
    assert outcome.out.startswith(f"# {word}\n")
    assert part in outcome.out


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("mma.row.row", "The second word is for B"),
        ("mma.col.row", "A is stored `[K, M]`"),
        ("shape", "`f32 [M, 64] x`"),
        ("wgmma", "mma.row.row acc, a, b;"),
        ("pointer", "`x.at(i, j)`"),
        ("mbarrier", "`trigger` arrives"),
        ("__shfl_down_sync", "`reduce_sum`"),
        ("cudaMemcpy", "the caller passes"),
        ("threadIdx.x", "`parallel t by 128 : thread`"),
    ],
)
def test_explain_knows_what_newcomers_from_cuda_type(croq: Croq, word: str, part: str) -> None:
    outcome = croq("explain", word)
    assert outcome.status == 0
    assert part in outcome.out


def test_words_of_cuda_are_none_of_the_language() -> None:
    assert [word for word in CUDA if word_text(word) is not None or word in BY_NAME] == []


@pytest.mark.parametrize(
    ("stage", "line"),
    [
        ("tokens", "  3:5  word  y"),
        ("ast", 'parts[0]: AssignPart op="="'),
        ("model", "  dimension N: "),
        ("flow", "  the block: threads 0..0"),
    ],
)
def test_dump(croq: Croq, stage: str, line: str) -> None:
    Path("k.co").write_text(CLEAN.replace("by N", "by 1"))
    outcome = croq("dump", "--after", stage, "k.co")
    assert outcome.status == 0
    assert line in outcome.out
    assert outcome.out == croq("dump", "--after", stage, "k.co").out


def test_dump_says_where_the_number_of_threads_is_not_static(croq: Croq) -> None:
    Path("k.co").write_text(CLEAN)
    assert "  the block: threads not static\n" in croq("dump", "--after", "flow", "k.co").out


def test_allow_silences_on_its_line_and_the_next_and_is_told_when_useless(croq: Croq) -> None:
    text = CLEAN.replace("    y.at(p) = x.at(p)", "    // croq: allow undeclared-name\n    y.at(p) = zz")
    Path("k.co").write_text(text)
    assert croq("check", "k.co").out == "no mistakes in 1 file\n"
    Path("k.co").write_text(CLEAN.replace("    y.at", "    // croq: allow undeclared-name\n    y.at"))
    outcome = croq("check", "k.co")
    assert outcome.status == 0
    assert "[unused-allow]" in outcome.out


def test_settings_go_flag_directive_project_default(croq: Croq) -> None:
    kernel = """__co__ void f(global f16 [64, 64] x) {
  parallel b by 1 : block {
    shared f16 [64, 64] s;
    tma.copy x => s;
  }
}
"""
    Path("k.co").write_text(kernel)
    assert croq("check", "k.co").status == 0
    Path("croq.toml").write_text('arch = "sm_80"\n')
    assert croq("check", "k.co").status == 1
    Path("k.co").write_text("// croq: arch sm_90a\n" + kernel)
    assert croq("check", "k.co").status == 0
    assert croq("check", "--arch", "sm_80", "k.co").status == 1


def test_the_json_of_run(croq: Croq) -> None:
    Path("k.co").write_text('// croq: run N=8 name="eight"\n// croq: expect y == x + 2\n' + CLEAN)
    outcome = croq("run", "--json", "k.co")
    assert outcome.status == 1
    (run,) = json.loads(outcome.out)["runs"]
    assert (run["verdict"], run["engine"], run["arch"], run["sizes"]) == ("wrong", "sim", "sm_90a", {"N": 8})
    assert (run["function"], run["name"], run["seed"], run["schedule"]) == ("f", "eight", 0, 0)
    (expectation,) = run["expectations"]
    assert (expectation["text"], expectation["ok"]) == ("y == x + 2", False)
    assert (expectation["differing"], expectation["total"]) == (8, 8)
    assert expectation["worst"]["want"] - expectation["worst"]["got"] == 1


def test_completion_scripts_know_every_command(croq: Croq) -> None:
    for shell in SHELLS:
        script = croq("completion", shell).out
        for name in COMMANDS:
            assert re.search(rf"\b{name}\b", script)


def test_completion_scripts_are_up_to_date(croq: Croq) -> None:
    for shell in SHELLS:
        assert croq("completion", shell).out == shtab.complete(build_parser(), shell) + "\n"


def test_the_entry_point_runs_as_a_process(tmp_path: Path) -> None:
    (tmp_path / "k.co").write_text(CLEAN)
    done = subprocess.run(
        [sys.executable, "-m", "croqc.cli.main", "check", "k.co"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (
        0,
        "k.co: f: no events; copies and buffers proved\n"
        "proved: the order of paths, events and copies; not races between threads inside one path\n"
        "no mistakes in 1 file\n",
    )


def test_a_mistyped_command_is_answered_with_the_near_one(croq: Croq) -> None:
    outcome = croq("chekc", "k.co")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.splitlines()[0] == "croq: there is no command 'chekc'; did you mean 'check'?"


def test_a_size_that_a_macro_replaces_is_no_mistake_of_the_run_lines(croq: Croq) -> None:
    Path("k.co").write_text(
        "// croq: run N=64\n// croq: expect x == N\n__co__ void k(global s32 [N] x) {\n"
        "  parallel p by 64 : thread {\n    x.at(p) = N;\n  }\n}\n"
    )
    assert croq("check", "k.co").status == 0
    assert croq("check", "-D", "N=64", "k.co").status == 0
    Path("k.co").write_text(Path("k.co").read_text().replace("run N=64", "run N=64 M=3"))
    assert "'M' is no size" in croq("check", "-D", "N=64", "k.co").out


def test_a_shell_completes_rules_and_words_of_explain(croq: Croq) -> None:
    """Words that no shell splits; others are explained all the same."""
    script = croq("completion", "bash").out
    (words,) = re.findall(r"_shtab_croq_explain_pos_0_choices=\(([^)]*)\)", script)
    assert {"credit-deadlock", "dma.copy", "sync.barrier", "__exp"} <= set(words.split())
    assert croq("explain", "croq: run").status == 0
