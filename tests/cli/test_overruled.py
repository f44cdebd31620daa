"""`-D NAME=V` where the file defines NAME itself: every command says that the file wins, and where."""

from pathlib import Path

import pytest

from croqc.service.check import check_text
from croqc.service.settings import Settings
from tests.cli.conftest import Croq

KERNEL = """// croq: run N=128
__co__ void copy(global f32 [N] x, global f32 [N] y) {
  parallel b by cdiv(N, TILE) : block, t by TILE : thread {
    if (b # t < N) y.at(b # t) = x.at(b # t);
  }
}
"""
NOTE = "k.co:1:9: note: 'TILE' is '64' from here on, not '32' as '-D' or the settings say: a '#define' in the file wins"


def codes(text: str, **defines: str | None) -> list[str]:
    return [item.code for item in check_text(text, Settings(defines=defines)).diagnostics]


@pytest.mark.parametrize("command", ["check", "run", "flow", "fix", "migrate", "dump"])
def test_every_command_says_so(croq: Croq, command: str) -> None:
    Path("k.co").write_text("#define TILE 64\n" + KERNEL)
    outcome = croq(command, "-D", "TILE=32", "k.co")
    assert outcome.status == 0
    assert (outcome.out if command == "check" else outcome.err).startswith(NOTE)
    assert NOTE not in croq(command, "k.co").err


def test_the_settings_of_a_project_are_told_too(croq: Croq) -> None:
    Path("croq.toml").write_text("[defines]\nTILE = 32\n")
    Path("k.co").write_text("#define TILE 64\n" + KERNEL)
    assert croq("run", "k.co").err.startswith(NOTE)


@pytest.mark.parametrize(
    ("head", "value"),
    [
        ("#define TILE 64\n", "64"),
        ("#ifndef TILE\n#define TILE 64\n#endif\n", "32"),
        ("#ifdef OTHER\n#define TILE 64\n#endif\n", "32"),
        ("#define TILE 64 // croq: allow overruled-define\n", "32"),
    ],
)
def test_nothing_is_said_where_nothing_is_lost(head: str, value: str) -> None:
    assert codes(head + KERNEL, TILE=value) == []


def test_a_switch_without_a_value_is_the_same_as_the_file_s_own() -> None:
    head = "#define TILE 64\n#define DEBUG\n"
    assert codes(head + KERNEL, DEBUG=None) == []
    assert codes(head.replace("DEBUG", "DEBUG(x) x") + KERNEL, DEBUG=None) == ["overruled-define"]


def test_the_note_stands_at_the_first_define_inside_functions_too() -> None:
    inside = KERNEL.replace("{\n  parallel", "{\n#define TILE 16\n#undef TILE\n#define TILE 64\n  parallel", 1)
    report = check_text(inside, Settings(defines={"TILE": "32"}))
    assert [(item.code, report.source.line_column(item.span.start)) for item in report.diagnostics] == [
        ("overruled-define", (3, 9))
    ]
