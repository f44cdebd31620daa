"""The part of a visit that runs compute-sanitizer, with a stand-in for the tool that runs the simulator."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from croqc.engines.gpu.parent import Parent
from tests.engines.children import parent
from tests.gpu.cases import given, name_of
from tests.gpu.parts import sanitizer
from tests.gpu.parts.sanitizer import Found, command, read

VERIFIED = '{"version": 1, "runs": [{"verdict": "verified"}]}\n'

TOOL = f"""#!{sys.executable}
import os, subprocess, sys
if "--version" in sys.argv:
    print("NVIDIA (R) Compute Sanitizer\\nVersion 2025.3.1")
    sys.exit()
tool, words = sys.argv[2], sys.argv[9:]
assert sys.argv[3:9] == {list(sanitizer.OPTIONS)!r}, sys.argv
assert os.environ["XDG_RUNTIME_DIR"] != {os.environ.get("XDG_RUNTIME_DIR", "")!r}
words[words.index("gpu")] = "sim"
for option in ("--repeat", "--timeout"):
    at = words.index(option)
    del words[at : at + 2]
print("========= COMPUTE-SANITIZER")
if "matmul_scalar" in words[-1] and tool == "racecheck":
    print("========= Error: the kernel uses what racecheck does not take")
    sys.exit(255)
status = subprocess.run(words, stderr=subprocess.DEVNULL).returncode
count = 2 if tool == "racecheck" and "add.co" in words[-1] else 0
if count:
    print("========= Error: Race reported between Write access at add+0x10 in add.cu\\n=========     in block (0,0,0)")
print(f"========= RACECHECK SUMMARY: {{count}} hazards displayed ({{count}} errors, 1 warning)" if tool == "racecheck"
      else f"========= ERROR SUMMARY: {{count}} errors")
sys.exit(86 if count else status)
"""


def test_the_summary_of_memcheck() -> None:
    output = f"========= COMPUTE-SANITIZER\n{VERIFIED}========= ERROR SUMMARY: 0 errors\n"
    assert read("c", "memcheck", output) == Found("c", "memcheck", 0, 0, "verified")


def test_errors_keep_the_tools_words() -> None:
    output = (
        "========= COMPUTE-SANITIZER\n========= Invalid __global__ write of size 4 bytes\n"
        "=========     at scatter+0x80\n========= ERROR SUMMARY: 3 errors\n"
    )
    found = read("c", "memcheck", output)
    assert (found.errors, found.verdict, found.refusal) == (3, "", "")
    assert found.said == ("Invalid __global__ write of size 4 bytes", "at scatter+0x80")


@pytest.mark.parametrize(
    ("line", "errors", "warnings"),
    [
        ("RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)", 0, 0),
        ("RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)", 1, 0),
        ("RACECHECK SUMMARY: 3 hazards displayed (1 error, 2 warnings)", 1, 2),
    ],
)
def test_the_summary_of_racecheck(line: str, errors: int, warnings: int) -> None:
    found = read("c", "racecheck", f"{VERIFIED}========= {line}\n")
    assert (found.errors, found.warnings) == (errors, warnings)


def test_the_summaries_of_all_processes_count() -> None:
    lines = "========= ERROR SUMMARY: 1 error\n========= ERROR SUMMARY: 2 errors\n"
    assert read("c", "synccheck", lines).errors == 3


@pytest.mark.parametrize(
    ("output", "refusal"),
    [
        ("========= COMPUTE-SANITIZER\n========= Error: not supported\n", "Error: not supported"),
        ("Segmentation fault\n", "Segmentation fault"),
        ("", "it said nothing"),
    ],
)
def test_a_refusal_keeps_the_tools_words(output: str, refusal: str) -> None:
    found = read("c", "memcheck", output)
    assert (found.errors, found.refusal) == (None, refusal)


def test_a_run_that_did_not_come_to_json_has_no_verdict() -> None:
    assert read("c", "memcheck", "croq: {no card}\n========= ERROR SUMMARY: 0 errors\n").verdict == ""


def test_without_the_tool_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitizer, "program", lambda: None)
    assert "not on the path" in sanitizer.sanitizer(Parent())["error"]


def test_the_toolkits_folder_is_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tool = fake_tool(tmp_path / "toolkit" / "bin")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "toolkit"))
    monkeypatch.setenv("PATH", "/usr/bin")
    assert sanitizer.program() == str(tool)


def fake_tool(folder: Path) -> Path:
    folder.mkdir(parents=True)
    tool = folder / "compute-sanitizer"
    tool.write_text(TOOL)
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    return tool


SOME = ("add.co", "matmul_scalar.co", "pad.co", "warp_s8.co")


@pytest.mark.slow
def test_each_run_is_one_of_croq(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The stand-in gives its command to the simulator: sizes, entry and target are taken, the verdict comes back."""
    monkeypatch.setenv("PATH", f"{fake_tool(tmp_path / 'bin').parent}:{os.environ['PATH']}")
    some = [case for case in given() if case.file.name in SOME]
    monkeypatch.setattr(sanitizer, "given", lambda: some)
    monkeypatch.setattr(sanitizer, "AT_ONCE", 2)
    with parent("good") as card:
        found = sanitizer.sanitizer(card)
        assert card.child_pid is None
    assert found["version"] == "Version 2025.3.1"
    assert len(found["rows"]) == 3 * len(SOME)
    refused = [row for row in found["rows"] if row["errors"] is None]
    assert [(row["tool"], row["case"].split(":")[0]) for row in refused] == [("racecheck", "matmul_scalar.co")]
    assert {row["verdict"] for row in found["rows"] if row not in refused} == {"verified"}
    assert found["totals"]["racecheck"] == {"runs": 4, "refused": 1, "errors": 2, "warnings": 3, "verified": 3}
    assert found["totals"]["memcheck"] == {"runs": 4, "refused": 0, "errors": 0, "warnings": 0, "verified": 4}


def test_the_command_names_case_and_tool() -> None:
    case = next(case for case in given() if case.file.name == "pad.co")
    words = command("racecheck", case, "/t/compute-sanitizer")
    assert words[:3] == ["/t/compute-sanitizer", "--tool", "racecheck"]
    assert words[words.index("--entry") + 1] == "pad"
    assert words[-1].endswith("examples/pad.co")
    assert name_of(case) == "pad.co: pad R=24 OUT_R=32 (given)"
    assert [words[at + 1] for at, word in enumerate(words) if word == "-D"] == ["R=24", "OUT_R=32"]
