"""The requests beside LSP, as docs/protocol.md has them: what each answers, and what is said where it cannot."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from croqc.service.check import check_file, check_text
from croqc.service.flow import flow_result
from croqc.service.flow_page import flow_page
from croqc.service.json_text import to_data
from tests.cli.test_protocol import validate
from tests.lsp.bare import FailedError, Server

PATH = Path("examples/pipeline_course.co")
KERNEL = PATH.read_text(encoding="utf-8")
LINES = KERNEL.split("\n")
URI = "file:///somewhere/k.co"
DOCUMENT = {"textDocument": {"uri": URI}}


def line_of(word: str) -> int:
    return next(number for number, line in enumerate(LINES) if word in line)


@pytest.fixture(scope="module")
def opened() -> Iterator[Server]:
    """One server for all: what a request changes, a test does in a document of its own."""
    with Server() as server:
        server.start()
        server.open(URI, KERNEL)
        yield server


def test_flow_is_what_the_command_line_says(opened: Server) -> None:
    result = opened.ask("croqtile/flow", DOCUMENT)
    validate("flow", result)
    expected = to_data(flow_result(check_file(PATH)))
    for flow in (*result["flows"], *expected["flows"]):
        del flow["path"]
    assert result == expected
    assert opened.ask("croqtile/flow", DOCUMENT | {"defines": {"K": "512"}})["flows"][0]["sizes"]["K"] == 512


def test_the_page_is_that_of_the_command_line_with_the_nonce_of_the_client(opened: Server) -> None:
    nonce = "0123456789abcdefABCDEF+/"
    result = opened.ask("croqtile/flowPage", DOCUMENT | {"nonce": nonce})
    validate("flowPage", result)
    assert result["html"] == flow_page(flow_result(check_text(KERNEL, path="/somewhere/k.co")), nonce)
    assert len(set(re.findall(r"""nonce(?:-|=")([^"' ;]+)""", result["html"]))) == 1
    sized = opened.ask("croqtile/flowPage", DOCUMENT | {"nonce": nonce, "defines": {"K": "512"}})["html"]
    assert '"sizes":{"K":512' in sized
    with pytest.raises(FailedError, match="there is no function 'matmull'; did you mean 'matmul'"):
        opened.ask("croqtile/flowPage", DOCUMENT | {"nonce": nonce, "entry": "matmull"})


def test_the_state_at_a_wait(opened: Server) -> None:
    """With two stages the producer is at most two fills ahead, and has filled the slot once before it is consumed."""
    line = line_of("wait full[stage]")
    result = opened.ask("croqtile/flowAt", DOCUMENT | {"position": {"line": line, "character": 12}})
    validate("flowAt", result)
    assert (result["function"], result["range"]["start"]["line"]) == ("matmul", line)
    second = result["visits"][1]
    assert (second["path"], second["iteration"]) == ("path p1 == 1", {"iv_k": 1})
    assert (second["barrier"]["event"], second["barrier"]["slot"]) == ("full", 1)
    producer = next(item for item in second["paths"] if item["path"] == "path p1 == 0")
    waits = line_of("wait empty[stage]")
    places = [producer[end]["range"]["start"]["line"] for end in ("earliest", "latest")]
    rounds = [producer[end]["iteration"]["iv_k"] for end in ("earliest", "latest")]
    assert (places, rounds) == ([waits, waits], [1, 3])


def test_what_a_macro_becomes(opened: Server) -> None:
    """Places of the answer are in UTF-16 units: an emoji is two."""
    uri = "untitled:macros.co"
    opened.open(uri, "#define TWO(a) (a + a)\n__co__ void f(global s32 [8] x) {\n  /* 😀 */ x.at(0) = TWO(3);\n}\n")
    line = {"line": 2, "character": 21}
    result = opened.ask("croqtile/expansion", {"textDocument": {"uri": uri}, "position": line})
    validate("expansion", result)
    assert (result["name"], result["use"], result["text"]) == ("TWO", "TWO(3)", "(3 + 3)")
    assert result["range"] == {"start": {"line": 2, "character": 21}, "end": {"line": 2, "character": 27}}
    assert result["definition"] == {"start": {"line": 0, "character": 8}, "end": {"line": 0, "character": 11}}
    with pytest.raises(FailedError, match="there is no use of a macro here that is expanded"):
        opened.ask("croqtile/expansion", {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 0}})
    with pytest.raises(FailedError, match="'position' must have a line and a character"):
        opened.ask("croqtile/expansion", {"textDocument": {"uri": uri}, "position": {"line": -1, "character": 0}})


def test_beside_a_kernel_there_is_no_state(opened: Server) -> None:
    result = opened.ask("croqtile/flowAt", DOCUMENT | {"position": {"line": 0, "character": 0}})
    validate("flowAt", result)
    assert (result["function"], result["visits"]) == ("", [])


@pytest.mark.parametrize("form", ["cuda", "ptx", "sass"])
def test_generated_code_and_its_map_both_ways(opened: Server, form: str) -> None:
    result = opened.ask("croqtile/generated", DOCUMENT | {"form": form})
    validate("generated", result)
    validate("cuda", result["code"])
    there = {(item["range"]["start"]["line"], item["line"]) for item in result["code"]["lines"]}
    back = {(item["line"], line) for item in result["sources"] for line in item["lines"]}
    assert there == back
    text = result["code"]["text"].split("\n")
    sign = {"cuda": "wait", "ptx": "mbarrier.try_wait", "sass": "SYNCS.PHASECHK"}[form]
    of_wait = next(item["lines"] for item in result["sources"] if item["line"] == line_of("wait full[stage]"))
    assert any(sign in text[line] for line in of_wait)


def test_the_layout_of_shared_memory(opened: Server) -> None:
    """64 x 128 halves in two slots twice, then 64 x 64; barriers behind them."""
    result = opened.ask("croqtile/sharedMemory", DOCUMENT)
    validate("sharedMemory", result)
    (kernel,) = result["kernels"]
    shown = [(one["name"], one["offset"], one["bytes"], one["slots"], one["stride"]) for one in kernel["tensors"]]
    assert shown == [
        ("lhs_load_s", 0, 32768, 2, 16384),
        ("rhs_load_s", 32768, 32768, 2, 16384),
        ("output_s", 65536, 8192, 1, 8192),
    ]
    assert [one["swizzle"] for one in kernel["tensors"]] == [128, 128, 128]
    assert kernel["limit"] == 232448
    assert kernel["bytes"] >= 65536 + 8192 + 4 * 8


def test_stages_of_the_compiler(opened: Server) -> None:
    result = opened.ask("croqtile/ir", DOCUMENT | {"after": "ast"})
    validate("ir", result)
    assert "Function" in result["text"]
    with pytest.raises(FailedError, match="there is no stage 'buid'; did you mean 'build'") as failed:
        opened.ask("croqtile/ir", DOCUMENT | {"after": "buid"})
    assert failed.value.code == -32803


@pytest.mark.parametrize(
    ("stage", "word", "typed"),
    [
        ("ast", "Wait", "wait full[stage]"),
        ("build", "wait full[", "wait full[stage]"),
        ("memory", "shared lhs", "lhs_load_s["),
    ],
)
def test_lines_of_a_stage_lead_to_the_source_and_back(opened: Server, stage: str, word: str, typed: str) -> None:
    result = opened.ask("croqtile/ir", DOCUMENT | {"after": stage})
    validate("ir", result)
    shown = result["text"].splitlines()
    ways = {item["line"]: item["range"]["start"]["line"] for item in result["lines"]}
    here = [line for line, text in enumerate(shown) if word in text and ways[line] == line_of(typed)]
    assert here
    back = {item["line"]: item["lines"] for item in result["sources"]}
    assert set(here) <= set(back[line_of(typed)])
    assert {(line, source) for source, lines in back.items() for line in lines} == set(ways.items())


def test_doctor(opened: Server) -> None:
    """By the Python that the server runs on; where anything is wrong it says what installs it, and that the simulator
    works all the same."""
    found = opened.ask("croqtile/doctor")
    validate("doctor", found)
    states = {one["name"]: (one["state"], one["detail"]) for one in found["findings"]}
    assert states["Python"][0] == "ok" and platform.python_version() in states["Python"][1]
    wrong = [one for one in found["findings"] if one["state"] not in ("ok", "optional")]
    assert found["ready"] == (not wrong)
    assert all(one["hint"] for one in wrong)
    assert ("the simulator works" in found["summary"]) == bool(wrong)


def test_dialect_and_target_of_a_document(opened: Server) -> None:
    """A directive names the target where there is one."""
    told = opened.ask("croqtile/document", DOCUMENT)
    validate("document", told)
    assert told == {"version": 1, "dialect": "course", "arch": "sm_90a", "flags": []}
    other = {"textDocument": {"uri": "untitled:other.co"}}
    opened.open(
        "untitled:other.co",
        "// croq: arch sm_100a\n" + Path("examples/pipeline_current.co").read_text(encoding="utf-8"),
    )
    assert opened.ask("croqtile/document", other) == {
        "version": 1,
        "dialect": "current",
        "arch": "sm_100a",
        "flags": [],
    }


METHODS = ("flow", "flowAt", "flowPage", "generated", "sharedMemory", "ir", "run", "document")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("params", [None, [], {"textDocument": 3}, {"textDocument": {}}])
def test_parameters_that_do_not_fit_are_answered(opened: Server, method: str, params: Any) -> None:
    with pytest.raises(FailedError) as failed:
        opened.ask(f"croqtile/{method}", params)
    assert failed.value.code == -32602


@pytest.mark.parametrize(
    ("method", "more", "says"),
    [
        ("flow", {"entry": 3}, "'entry' must be a text"),
        ("flow", {"overload": "1"}, "'overload' must be a whole number"),
        ("flow", {"defines": {"K": 3}}, "'defines.K' must be a text or null"),
        ("flowAt", {"position": {"line": -1, "character": 0}}, "'position' must have"),
        ("flowAt", {}, "'position' must have"),
        ("flowPage", {}, "'nonce' must be 16 or more characters of base64"),
        ("flowPage", {"nonce": "0123456789abcde"}, "'nonce' must be 16 or more"),
        ("flowPage", {"nonce": "0123456789abcdef' 'unsafe-inline"}, "'nonce' must be 16 or more"),
        ("flowPage", {"nonce": "0123456789abcdef\n"}, "'nonce' must be 16 or more"),
        ("generated", {"form": "c"}, "'form' must be one of cuda, full, ptx, sass"),
        ("run", {"engine": "fpga"}, "'engine' must be sim or gpu"),
        ("run", {"seed": True}, "'seed' must be a whole number"),
        ("run", {"schedules": 0}, "'schedules' must be more than 0"),
        ("run", {"task": "walk"}, "'task' must be run, verify or profile"),
        ("run", {"task": "profile", "engine": "sim"}, "'engine' must be gpu for a profile"),
    ],
)
def test_options_that_do_not_fit_are_named(opened: Server, method: str, more: Any, says: str) -> None:
    with pytest.raises(FailedError) as failed:
        opened.ask(f"croqtile/{method}", DOCUMENT | more)
    assert failed.value.code == -32602
    assert says in failed.value.message


@pytest.mark.parametrize("method", ["flow", "generated", "sharedMemory"])
def test_what_is_not_there_is_told_with_the_near_names(opened: Server, method: str) -> None:
    with pytest.raises(FailedError, match="there is no function 'matmull'; did you mean 'matmul'") as failed:
        opened.ask(f"croqtile/{method}", DOCUMENT | {"entry": "matmull"})
    assert failed.value.code == -32803


TWO = """__co__ void f(global s32 [8] x) {
  parallel b by 1 : block {
    shared s32 [8] small;
    parallel p by 8 : thread { small.at(p) = x.at(p); x.at(p) = small.at(7 - p); }
  }
}
__co__ void f(global f16 [64] x) {
  parallel b by 1 : block {
    shared f16 [64] large;
    parallel p by 64 : thread { large.at(p) = x.at(p); x.at(p) = large.at(63 - p); }
  }
}
"""


def test_of_two_functions_of_a_name_the_one_that_is_meant_is_shown(opened: Server) -> None:
    """Its flow, its code and its memory; without a number both, and a number beyond them is refused."""
    uri = "untitled:two.co"
    opened.open(uri, TWO)
    about = {"textDocument": {"uri": uri}, "entry": "f"}

    def of_all(**more: Any) -> list[list[Any]]:
        flows = opened.ask("croqtile/flow", about | more)["flows"]
        code = opened.ask("croqtile/generated", about | more)["code"]["text"]
        kernels = opened.ask("croqtile/sharedMemory", about | more)["kernels"]
        begins = [one["range"]["start"]["line"] for one in flows]
        names = [[tensor["name"] for tensor in one["tensors"]] for one in kernels]
        return [[one["overload"] for one in flows], begins, ["int" in code, "half" in code], names]

    assert of_all(overload=0) == [[0], [0], [True, False], [["small"]]]
    assert of_all(overload=1)[:2] == [[1], [6]] and of_all(overload=1)[3] == [["large"]]
    assert "half" in opened.ask("croqtile/generated", about | {"overload": 1})["code"]["text"]
    assert of_all() == [[0, 1], [0, 6], [True, True], [["small"], ["large"]]]
    page = opened.ask("croqtile/flowPage", about | {"overload": 1, "nonce": "0" * 16})["html"]
    assert page == flow_page(flow_result(check_text(TWO, path="untitled:two.co"), "f", overload=1), "0" * 16)
    for line, number in ((3, 0), (9, 1)):
        told = opened.ask("croqtile/flowAt", about | {"position": {"line": line, "character": 40}})
        assert (told["function"], told["overload"]) == ("f", number)
    for method in ("flow", "generated", "sharedMemory"):
        with pytest.raises(FailedError, match="there is no function 'f' of number 2, counted from 0"):
            opened.ask(f"croqtile/{method}", about | {"overload": 2})
    shown = {"command": "croqtile.showFlow", "arguments": [uri, "f", {"overload": 1}]}
    assert [one["overload"] for one in opened.ask("workspace/executeCommand", shown)["flows"]] == [1]


def test_a_document_that_is_not_open(opened: Server) -> None:
    with pytest.raises(FailedError, match="is not open"):
        opened.ask("croqtile/flow", {"textDocument": {"uri": "file:///other.co"}})


def test_broken_text_is_answered_with_its_errors(opened: Server) -> None:
    broken = {"textDocument": {"uri": "untitled:broken.co"}}
    opened.open("untitled:broken.co", KERNEL.replace("wait full[stage];", "wait"))
    for method in ("flow", "generated", "sharedMemory"):
        validate(method, opened.ask(f"croqtile/{method}", broken))
    assert opened.ask("croqtile/flow", broken)["flows"][0]["verdict"] == "unknown"
    assert opened.ask("croqtile/generated", broken)["code"]["diagnostics"]
