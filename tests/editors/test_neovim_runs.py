"""Runs and profiles in a real Neovim: reports, hangs in the quickfix list, the way on where nothing was run."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.cli.seeds import BOOTSTRAP, EXAMPLES, PIPELINE
from tests.editors.neovim import Neovim

pytestmark = pytest.mark.slow

ADD = (EXAMPLES / "add.co").read_text(encoding="utf-8")
CURRENT = (EXAMPLES / "pipeline_current.co").read_text(encoding="utf-8")
SMALL = re.sub(r".*name=\"large\".*\n", "", PIPELINE)
HANGING = SMALL.replace(BOOTSTRAP, "")

# A run on a card, as in `croq run --json`.
FINISHED: dict[str, Any] = {
    "function": "f",
    "overload": 0,
    "name": "",
    "verdict": "verified",
    "engine": "gpu",
    "arch": "sm_90a",
    "sizes": {"K": 64},
    "seed": 0,
    "time": 2e-4,
    "compileTime": 1.5,
    "message": "",
    "range": None,
    "expectations": [],
    "hang": [],
    "prints": [],
    "notes": [],
    "timing": None,
}


def line_of(text: str, part: str) -> int:
    """The number of the first line with a text, from 1."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def test_a_run_ends_verified_with_a_report_and_progress(nvim: Neovim) -> None:
    nvim.edit("add.co", ADD)
    nvim.do("CroqRun sim")
    first, second = nvim.float().splitlines()
    assert re.fullmatch(r"add M=33 N=65: verified \(sim, sm_90a, seed 0, \d+\.\d\d s\)", first)
    assert second.startswith("  ok   result ~= a + b  (2145 elements, max error ")
    assert nvim.lua("return progress")[0] == "begin"
    nvim.wait("progress[#progress] == 'end'")
    assert nvim.said() == []
    assert nvim.lua("return vim.api.nvim_win_get_config(0).relative") == ""  # the cursor has stayed
    nvim.do("CroqReport")
    assert nvim.lua("return vim.api.nvim_win_get_config(0).relative") == "editor"
    nvim.lua("vim.api.nvim_feedkeys('q', 'x', false)")
    assert nvim.floats() == []
    nvim.do("CroqRun sim")
    nvim.wait("#floats() == 1")
    nvim.do("doautocmd InsertEnter")
    assert nvim.floats() == []


def test_a_wrong_result_tells_the_worst_element(nvim: Neovim) -> None:
    nvim.edit("wrong.co", ADD.replace("~= a + b", "~= a + b + 2"))
    nvim.do("CroqRun sim")
    shown = nvim.float()
    assert "add M=33 N=65: wrong (sim" in shown
    assert "FAIL result ~= a + b + 2" in shown
    assert "2145 of 2145 elements differ" in shown
    worst = re.search(r"worst at \[\d+, \d+\]: got (\S+), expected (\S+)", shown)
    assert worst is not None
    assert float(worst[2]) - float(worst[1]) == pytest.approx(2, abs=1e-4)


def test_a_hanging_kernel_goes_to_the_quickfix_list(nvim: Neovim) -> None:
    nvim.edit("a b (é) #1 %41 +.co", HANGING)
    nvim.do("CroqRun sim")
    assert "matmul 'small' K=256 M=128 N=128: hangs" in nvim.float()
    assert ":copen lists the 2 places" in nvim.float()
    places = nvim.lua("return vim.fn.getqflist()")
    empty, full = line_of(HANGING, "wait empty"), line_of(HANGING, "wait full")
    column = len("          ") + 1
    assert [(one["lnum"], one["col"], one["type"]) for one in places] == [(empty, column, "E"), (full, column, "E")]
    assert places[0]["text"] == (
        f"path p1 == 0 waits for empty[0], generation 0; owed by path p1 == 1 (waits in line {full}, triggers it in"
        f" line {line_of(HANGING, 'trigger empty')})"
    )
    nvim.do("cfirst")
    assert nvim.lua("return vim.fn.line('.')") == empty


def test_verify_sets_simulator_and_proof_side_by_side(nvim: Neovim) -> None:
    nvim.edit("verify.co", CURRENT)
    nvim.do("CroqVerify")
    shown = nvim.float()
    assert "matmul K=512 M=128 N=128: verified (sim" in shown
    assert "proof: credit flow proved for every K" in shown
    assert "verified by every engine that is here" in shown


def test_a_report_of_a_card_tells_the_share_of_its_ceiling(nvim: Neovim) -> None:
    ceiling = {"gbps": 4000.0, "tflops": 800.0, "measured": "today"}
    timing = {"card": "a card", "rounds": 5, "median": 2e-4, "best": 1e-4, "operations": 120_000_000_000, "bytes": 1}
    entry: dict[str, Any] = dict(FINISHED, notes=["slow"], prints=["a\nb\n"])
    entry["timing"] = timing | {"tflops": 600.0, "gbps": 10.0, "ceiling": ceiling}
    code = "return (require('croqtile.report').lines(vim.json.decode(...)))"
    assert nvim.lua(code, json.dumps({"version": 1, "runs": [entry]})) == [
        "f K=64: verified (gpu, sm_90a, seed 0, compiled in 1.50 s)",
        "  200.0 µs on a card (median of 5), 600.0 TFLOP/s, 10 GB/s",
        "  75 % of this card's 800 TFLOP/s (cuBLAS)",
        "  note: slow",
        "  | a",
        "  | b",
    ]
    bare = entry | {
        "timing": None,
        "notes": [],
        "prints": [],
        "verdict": "crashed",
        "message": "no\nway",
        "range": None,
    }
    assert nvim.lua(code, json.dumps({"version": 1, "runs": [bare]}))[1:] == ["  no", "way"]


def test_one_run_at_a_time_and_it_can_be_ended(nvim: Neovim) -> None:
    nvim.edit("long.co", ADD.replace("M=33", "M=200000"))
    nvim.do("CroqRun sim")
    nvim.wait("progress[1] == 'begin'")
    nvim.do("CroqRun sim")
    nvim.wait("#said == 1")
    nvim.do("CroqCancel")
    nvim.wait("#said == 2")
    assert nvim.said() == [
        "croqtile: a run is under way; :CroqCancel ends it",
        "croqtile: the run was cancelled",
    ]
    nvim.do("CroqCancel")
    nvim.wait("#said == 3")
    assert nvim.said()[2] == "croqtile: nothing runs"


FAKED = """
local answers, asked, get = ..., {}, vim.lsp.get_clients
vim.lsp.get_clients = function(filter)
  return filter.bufnr and {} or vim.tbl_map(function(answer)
    return { request = function(_, method, _, handler)
      table.insert(asked, method)
      handler(answer.failure, answer.result)
    end }
  end, answers)
end
local ran, failure = pcall(require("croqtile.run").cancel)
vim.lsp.get_clients = get
return { ran and "" or failure, asked }
"""


def test_from_a_buffer_without_a_server_each_server_is_asked(nvim: Neovim) -> None:
    idle, ended = {"result": {"cancelled": False}}, {"result": {"cancelled": True}}
    nvim.do("new")
    for answers, said in (
        ([idle, ended], []),
        ([ended, idle], []),
        ([idle, idle], ["nothing runs"]),
        ([{"failure": {"message": "it is gone"}}], ["it is gone"]),
        ([], ["nothing runs"]),
    ):
        nvim.lua("said = {}")
        assert nvim.lua(FAKED, answers) == ["", ["croqtile/runCancel"] * len(answers)]
        assert nvim.said() == [f"croqtile: {text}" for text in said]


def test_without_a_card_the_simulator_is_offered(nvim: Neovim) -> None:
    nvim.edit("card.co", ADD)
    nvim.do("CroqRun gpu")
    (said,) = nvim.value("said")
    assert said.endswith("; :CroqRun sim runs it in the simulator")


ENDED = "require('croqtile.run').ended(vim.json.decode(...))"


def told(nvim: Neovim, version: int, task: str, result: Any, **more: Any) -> str:
    """The end of a run of the current buffer, as `croqtile/runResult`."""
    uri = nvim.lua("return vim.uri_from_bufnr(0)")
    about = {"version": 1, "id": 1, "uri": uri, "documentVersion": version, "task": task, "state": "done"}
    return json.dumps({**about, "message": "", "offer": None, "result": result, **more})


def test_what_the_verdict_keeps_from_the_card_has_its_command(nvim: Neovim) -> None:
    nvim.edit("kept.co", ADD)
    kept = FINISHED | {"verdict": "not-run", "message": "its credit flow has an error", "offer": "force"}
    nvim.lua(ENDED, told(nvim, 0, "run", {"version": 1, "runs": [kept]}, offer="force"))
    assert nvim.float().endswith(":CroqRun! gpu runs on the card what the verdict keeps from it")
    failed = {
        "function": "f",
        "sizes": {},
        "kernels": [],
        "message": "its credit flow has an error",
        "range": None,
        "notes": [],
    }
    nvim.lua(ENDED, told(nvim, 0, "profile", {"version": 1, "profiles": [failed], "flow": {}}, offer="force"))
    assert nvim.float().endswith(":CroqProfile! measures on the card what the verdict keeps from it")


def test_a_bang_profiles_in_spite_of_the_verdict(nvim: Neovim) -> None:
    nvim.edit("kept.co", ADD)
    nvim.lua("local it = require('croqtile.server'); _G.ask = it.ask; it.ask = function(_, o) _G.asked = o end")
    nvim.do("CroqProfile")
    assert nvim.lua("return _G.asked") == {"task": "profile"}
    nvim.do("CroqProfile!")
    assert nvim.lua("return _G.asked") == {"task": "profile", "force": True}
    nvim.lua("require('croqtile.server').ask = _G.ask")


def test_a_profile_stands_in_a_report_and_beside_its_waits_until_the_next_edit(nvim: Neovim) -> None:
    nvim.edit("profile.co", CURRENT)
    line = line_of(CURRENT, "wait full") - 1
    spot = {"start": {"line": line, "character": 4}, "end": {"line": line, "character": 8}}

    def stay(path: str, share: float, is_wait: bool = True) -> dict[str, Any]:
        return {"path": path, "isWait": is_wait, "range": spot, "count": 8, "median": 260, "share": share}

    blocks = [
        {"block": 0, "places": [stay("path a", 0.5), stay("path a", 0.9, False)]},
        {"block": 63, "places": [stay("path a", 0.61)]},
    ]
    kernel = {"kernel": "matmul", "verdict": "both sides stand", "tries": ["more slots"], "blocks": blocks}
    times = {"card": "a card", "rounds": 5, "plain": 1e-4, "probed": 1.25e-4}
    done = {
        "function": "matmul",
        "sizes": {"K": 64},
        **times,
        "kernels": [kernel],
        "message": "",
        "range": None,
        "notes": ["slow"],
    }
    failed = done | {"function": "f", "kernels": [], "message": "it has errors", "range": spot, "notes": []}
    version = nvim.value("vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()] + 1") - 1
    nvim.lua(ENDED, told(nvim, version, "profile", {"version": 1, "profiles": [done, failed], "flow": {}}))
    assert nvim.float().splitlines() == [
        "matmul K=64 on a card: 100.0 µs a round, 125.0 µs with probes (5 rounds)",
        "  matmul: both sides stand",
        "    try: more slots",
        f"  line {line + 1}: stalls 50–61 %",
        "    path a, block 0: 50 % of its time in 8 visits, median 260 ns",
        "    path a, block 63: 61 % of its time in 8 visits, median 260 ns",
        "  note: slow",
        "f K=64 was not profiled",
        f"  line {line + 1}: it has errors",
    ]
    marks = """(function()
      local space = vim.api.nvim_get_namespaces()["croqtile.profile"]
      return vim.tbl_map(function(mark) return { mark[2], mark[4].virt_text[1][1] } end,
        vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true }))
    end)()"""
    assert nvim.lua(f"return {marks}") == [[line, "stalls 50–61 %"]]
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// more' })")
    nvim.do("doautocmd TextChanged")
    assert nvim.lua(f"return {marks}") == []
    nvim.lua(
        ENDED, told(nvim, version, "profile", {"version": 1, "profiles": [done], "flow": {}})
    )  # of the text before
    assert nvim.lua(f"return {marks}") == []


def test_without_a_card_a_profile_says_so(nvim: Neovim) -> None:
    nvim.edit("card.co", ADD)
    nvim.do("CroqProfile")
    (said,) = nvim.value("said")
    assert said.endswith("; :CroqDoctor says what is missing")
