"""The commands `:Croq…` in a real Neovim: generated code, the flow, lenses, health, help. Runs: test_neovim_runs."""

from __future__ import annotations

import json
import re
import shutil
import time
import urllib.error
import urllib.request

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
TOLD = "client(0):notify('workspace/didChangeConfiguration', { settings = {} })"
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


def line_of(text: str, part: str) -> int:
    """The number of the first line with a text, from 1."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


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


def test_the_page_is_of_the_settings_that_count_for_the_file(nvim: Neovim) -> None:
    """A number is a value, a macro that the file does not have is none of its options, and a directive comes first."""
    head = "// croq: arch sm_90a\n#ifndef T\n#define T 1\n#endif\n"
    nvim.edit("settings.co", head + CURRENT)
    nvim.lua(
        f"client(0).settings = vim.json.decode(...); {TOLD}",
        json.dumps({"croqtile": {"arch": "sm_80", "dialect": "current", "defines": {"T": 64, "DEBUG": None}}}),
    )
    about = "{ textDocument = { uri = vim.uri_from_bufnr(0) } }"
    flags = f"client(0):request_sync('croqtile/document', {about}, 20000).result.flags"
    nvim.wait(f"vim.tbl_contains({flags}, 'current')")  # the settings have come
    nvim.lua("_G.system = vim.system; vim.system = function(it) _G.started = it; error('not here') end")
    nvim.do("CroqFlow page")
    command = nvim.value("started")
    nvim.lua("vim.system = system; client(0).settings = {}")
    nvim.lua(TOLD)
    assert command[1:] == ["flow", str(nvim.folder / "settings.co"), "--serve", "--dialect", "current", "-D", "T=64"]


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


OVERLOADS = """__co__ void f(global s32 [8] x) {
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


def test_the_lenses_of_two_functions_of_a_name_are_told_apart(nvim: Neovim) -> None:
    """The page opens at the function that the lens stands over; its memory and its code are its own."""
    nvim.edit("overloads.co", OVERLOADS)
    nvim.wait("#vim.lsp.codelens.get(0) == 10")
    nvim.lua("_G.opened = {}")
    for word, part in (("f(global f16", "#function=f&overload=1"), ("f(global s32", "#function=f&overload=0")):
        nvim.cursor(word)
        nvim.lua(CLICK, "croqtile.showFlow")
        nvim.wait(f"vim.endswith(opened[#opened] or '', '{part}')")
    nvim.cursor("f(global f16")
    nvim.lua(CLICK, "croqtile.showSharedMemory")
    shown = nvim.float()
    assert "large" in shown and "small" not in shown
    nvim.do("fclose")
    made = """vim.tbl_filter(function(name) return vim.startswith(name, "croqtile://") end,
      vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs()))"""
    for word, count in (("f(global f16", 1), ("f(global s32", 2)):
        nvim.cursor(word)
        nvim.lua(CLICK, "croqtile.showCuda")
        nvim.wait(f"#{made} == {count}")
    assert [name.rpartition("/")[2] for name in nvim.value(made)] == [
        "f (2)@overloads.co.cuda",
        "f (1)@overloads.co.cuda",
    ]
    nvim.do("only")


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
