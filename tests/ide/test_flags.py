"""Options with which `croq` takes a file as the editor does: what it or `croq.toml` says comes before the settings."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.service.settings import NO_SETTINGS, Settings
from croqls.ide.flags import flags_of

TEXT = "__co__ void f(global s32 [T] x) { parallel p by T : thread { x.at(p) = T; } }\n"


@pytest.mark.parametrize(
    ("editor", "project", "head", "flags"),
    [
        (Settings(arch="sm_90a"), NO_SETTINGS, "", ["--arch", "sm_90a"]),
        (Settings(arch="sm_90a"), NO_SETTINGS, "// croq: arch sm_80\n", []),
        (Settings(arch="sm_90a"), Settings(arch="sm_80"), "", []),
        (Settings(dialect="course"), NO_SETTINGS, "", ["--dialect", "course"]),
        (Settings(dialect="course"), NO_SETTINGS, "// croq: dialect current\n", []),
        (Settings(defines={"T": "64"}), NO_SETTINGS, "", ["-D", "T=64"]),
        (Settings(defines={"T": None}), NO_SETTINGS, "", ["-D", "T"]),
        (Settings(defines={"T": "64"}), Settings(defines={"T": "32"}), "", []),
        (Settings(defines={"DEBUG": None, "T": "1"}), NO_SETTINGS, "", ["-D", "T=1"]),
    ],
)
def test_the_flags_of_a_file(editor: Settings, project: Settings, head: str, flags: list[str]) -> None:
    below = project.over(editor)
    report = check_text(head + TEXT, below=below)
    assert flags_of(report, editor, below) == flags
