"""The commands `:Croq…` in a real Neovim: runs and reports, hangs, generated code, the flow, lenses."""

from __future__ import annotations

import json
import re
import shutil
import time
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.cli.seeds import BOOTSTRAP, EXAMPLES, PIPELINE
from tests.editors.neovim import Neovim
from tests.editors.surroundings import croq_in, environment, snippets

pytestmark = pytest.mark.slow

ADD = (EXAMPLES / "add.co").read_text(encoding="utf-8")
CURRENT = (EXAMPLES / "pipeline_current.co").read_text(encoding="utf-8")
SMALL = re.sub(r".*name=\"large\".*\n", "", PIPELINE)
HANGING = SMALL.replace(BOOTSTRAP, "")
LIT = """(function(buffer)
  local space, found = vim.api.nvim_get_namespaces()["croqtile.generated"], {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {})) do
    table.insert(found, vim.api.nvim_buf_get_lines(buffer, mark[2], mark[2] + 1, false)[1])
  end
  return found
end)"""
BESIDE = "vim.api.nvim_win_get_buf(vim.api.nvim_list_wins()[2])"


# A click on the lens of a command in the cursor's line.
CLICK = """
local command = ...
vim.ui.select = function(items, _, choose)
  for number, item in ipairs(items) do
    if item.lens.command.command == command then return choose(item, number) end
  end
end
vim.lsp.codelens.run()
"""

# A run on a card, as in `croq run --json`.
FINISHED: dict[str, Any] = {
    "function": "f",
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
        "  200.0 us on a card (median of 5), 600.0 TFLOP/s, 10 GB/s",
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
        "matmul K=64 on a card: 100.0 us a round, 125.0 us with probes (5 rounds)",
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


def test_generated_code_follows_the_cursor_both_ways(nvim: Neovim) -> None:
    nvim.edit("cuda.co", CURRENT)
    nvim.cursor("mma.store acc")
    nvim.do("CroqGenerated")
    nvim.wait("#vim.api.nvim_list_wins() == 2")
    assert any("store_matrix<64, 128>(output_s" in line for line in nvim.value(f"{LIT}({BESIDE})"))
    assert nvim.value(f"{LIT}(0)") == ["        mma.store acc, output_s;"]
    assert nvim.lua(f"return {{ vim.bo[{BESIDE}].modifiable, vim.bo[{BESIDE}].filetype }}") == [False, "cuda"]
    nvim.cursor("// One producer")
    assert nvim.lua(f"return #{LIT}({BESIDE})") == 0
    nvim.do("wincmd l")
    nvim.cursor("store_matrix<64, 128>(output_s")
    source = "vim.api.nvim_win_get_buf(vim.api.nvim_list_wins()[1])"
    assert nvim.value(f"{LIT}({source})") == ["        mma.store acc, output_s;"]
    assert nvim.lua("return vim.api.nvim_win_get_cursor(vim.api.nvim_list_wins()[1])[1]") == line_of(
        CURRENT, "mma.store"
    )


def test_generated_code_of_a_changed_text_lights_nothing_until_it_is_written(nvim: Neovim) -> None:
    nvim.edit("written.co", CURRENT)
    nvim.do("CroqGenerated cuda")
    nvim.wait("#vim.api.nvim_list_wins() == 2")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// one line more' })")
    nvim.cursor("mma.store acc")
    assert nvim.lua(f"return #{LIT}({BESIDE})") == 0
    nvim.do("write")
    assert any("store_matrix<64, 128>(output_s" in line for line in nvim.value(f"{LIT}({BESIDE})"))
    assert len(nvim.lua("return vim.api.nvim_list_wins()")) == 2


@pytest.mark.parametrize(
    ("form", "head", "lit"), [("ptx", ".target sm_90a", "wgmma.mma_async"), ("sass", "sm_90a", "HGMMA")]
)
def test_machine_code_has_its_lines_too(nvim: Neovim, form: str, head: str, lit: str) -> None:
    nvim.edit(f"{form}.co", CURRENT)
    nvim.cursor("mma.row.row")
    nvim.do(f"CroqGenerated {form}")
    nvim.wait("#vim.api.nvim_list_wins() == 2")
    text = "\n".join(nvim.lua(f"return vim.api.nvim_buf_get_lines({BESIDE}, 0, -1, false)"))
    assert head in text
    assert any(lit in line for line in nvim.value(f"{LIT}({BESIDE})"))


def test_a_kernel_with_errors_has_no_code_but_a_reason(nvim: Neovim) -> None:
    nvim.edit("errors.co", CURRENT.replace("mma.store acc", "mma.store acd"))
    nvim.do("CroqGenerated")
    (said,) = nvim.value("said")
    assert f"line {line_of(CURRENT, 'mma.store')}: " in said
    assert "[undeclared-name]" in said
    nvim.do("CroqGenerated pxt")
    assert nvim.said()[1] == "croqtile: 'pxt' is no form of generated code; there are cuda, full, ptx, sass"


def test_the_flow_at_a_wait(nvim: Neovim) -> None:
    nvim.edit("flow.co", CURRENT)
    nvim.cursor("wait full.at(k)")
    nvim.do("CroqFlow")
    shown = nvim.float()
    assert shown.startswith("matmul: credit flow proved for every K\n")
    first = shown.split("\n\n")[1]
    assert re.match(r"step \d+: path w == 1 waits on full\[0\] for generation 0, parity 0\n", first)
    # Three stages are three credits: while the consumer is at its first wait, the producer comes to its fourth at most.
    wait = f"line {line_of(CURRENT, 'wait empty')}"
    assert first.endswith(f"path w == 0 stands: between {wait} (k = 0) and {wait} (k = 3)")
    nvim.do("fclose")
    nvim.cursor("// One producer")
    nvim.do("CroqFlow")
    assert nvim.float() == "the cursor is outside kernels"
    nvim.clear()
    nvim.edit("fails.co", HANGING)
    nvim.cursor("wait full[stage]")
    nvim.do("CroqFlow")
    assert nvim.float().endswith("\nit fails; `:CroqFlow page` shows the counterexample")


def test_the_page_of_the_flow_opens_once_and_ends_with_the_editor(
    nvim: Neovim, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("page")
    other = Neovim(folder / "files", snippets("Neovim", "lua")[0], environment(folder, croq_in(folder / "bin")))
    other.edit("page.co", CURRENT, attached=False)
    other.do("CroqFlow page")
    (address,) = other.value("opened")
    with urllib.request.urlopen(address, timeout=60) as answer:
        assert '"function":"matmul"' in answer.read().decode("utf-8")
    other.do("CroqFlow page")
    other.wait("#opened == 2")
    assert other.lua("return opened") == [address, address]
    other.close()
    assert any(refuses(address) for _ in range(600))


def refuses(address: str) -> bool:
    """Whether nobody serves there any more; waits a little if somebody does."""
    try:
        urllib.request.urlopen(address, timeout=20).close()
    except urllib.error.URLError as error:
        return isinstance(error.reason, ConnectionRefusedError)
    except OSError:
        return False  # cut off while it ends
    time.sleep(0.05)
    return False


def test_a_lens_is_clicked(nvim: Neovim) -> None:
    nvim.edit("lens.co", ADD)
    nvim.wait("#vim.lsp.codelens.get(0) == 5")
    titles = nvim.lua("return vim.tbl_map(function(lens) return lens.command.title end, vim.lsp.codelens.get(0))")
    assert titles[:2] == ["▶ Run (simulator)", "✓ Verify"]
    nvim.cursor("__co__")
    nvim.lua(CLICK, "croqtile.run")
    shown = nvim.float()
    assert "add M=33 N=65: verified" in shown
    nvim.do("fclose")
    nvim.lua("vim.lsp.codelens.refresh({ bufnr = 0 })")
    nvim.wait("#vim.lsp.codelens.get(0) == 6")  # one more: what came of it
    nvim.lua(CLICK, "croqtile.showRun")
    assert nvim.float() == shown


def test_commands_outside_croqtile_files_say_so(nvim: Neovim) -> None:
    for command in ("CroqRun", "CroqFlow", "CroqGenerated", "CroqShared", "CroqMigrate"):
        nvim.do(command)
    assert nvim.said() == ["croqtile: this is no Croqtile file (.co)"] * 5
    nvim.do("CroqFlow page")
    assert nvim.said()[5] == "croqtile: the page shows a Croqtile file (.co) that is written; :write it first"


def test_health_names_what_is_here_and_what_installs_the_rest(nvim: Neovim) -> None:
    nvim.edit("health.co", ADD)
    nvim.do("checkhealth croqtile")
    text = "\n".join(nvim.text())
    for part in ("OK Neovim 0.1", "OK colours", "OK croq 0.1.0", "OK attached to 1 buffer", "WARNING driver: "):
        assert part in text
    assert "install NVIDIA's driver" in text
    nvim.do("bwipeout!")
    nvim.do("CroqDoctor")
    assert "the simulator works" in nvim.float()


def test_the_help_is_found_and_its_tags_are_those_of_its_text(nvim: Neovim) -> None:
    nvim.do("help croqtile")
    assert nvim.text()[0].startswith("*croqtile.txt*")
    folder = EXAMPLES.parent / "server/clients/nvim/doc"
    shutil.copy(folder / "croqtile.txt", nvim.folder)
    nvim.lua("vim.cmd.helptags(...)", str(nvim.folder))
    assert (nvim.folder / "tags").read_text(encoding="utf-8") == (folder / "tags").read_text(encoding="utf-8")


def test_every_command_is_in_the_help(nvim: Neovim) -> None:
    names = nvim.lua("""return vim.tbl_filter(function(name) return vim.startswith(name, "Croq") end,
      vim.tbl_keys(vim.api.nvim_get_commands({})))""")
    folder = nvim.lua("return vim.fs.dirname(vim.api.nvim_get_runtime_file('doc/croqtile.txt', false)[1])")
    text = (EXAMPLES.parent / "server/clients/nvim/doc/croqtile.txt").read_text(encoding="utf-8")
    assert folder.endswith("server/clients/nvim/doc")
    assert sorted(re.findall(r"\*:(Croq\w+)\*", text)) == sorted(names)
    document = (EXAMPLES.parent / "docs/editors.md").read_text(encoding="utf-8")
    assert [name for name in names if f"`:{name}" not in document] == []
