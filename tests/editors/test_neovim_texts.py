"""What `:Croq…` commands ask once and show in a real Neovim: shared memory, a migration, a rule's page."""

from __future__ import annotations

import re

import pytest

from tests.editors.neovim import Neovim
from tests.editors.test_neovim_commands import ADD, CURRENT, SMALL

pytestmark = pytest.mark.slow


def test_shared_memory(nvim: Neovim) -> None:
    nvim.edit("shared.co", CURRENT)
    nvim.do("CroqShared")
    lines = nvim.float().splitlines()
    assert re.fullmatch(r"matmul: \d+ of 232448 bytes a block \(25 %\)", lines[0])
    # Three slots of 64 x 64 f16.
    assert lines[2] == "       0  24576  lhs_s     f16 [64, 64]  3 slots, 8192 apart  swizzle 128"


def test_what_a_macro_becomes(nvim: Neovim) -> None:
    text = "#define TWO(a) (a + a)\n#define NIL (TWO(1))\n__co__ void f(global s32 [8] x) { /* é */ x.at(0) = NIL; }\n"
    nvim.edit("macro.co", text)
    nvim.cursor("NIL;")
    nvim.do("CroqExpand")
    assert nvim.float() == "((1 + 1))"
    assert nvim.lua("return client(vim.api.nvim_get_current_buf()) == nil")  # a text to read, and no document
    assert nvim.lua("return vim.api.nvim_win_get_config(0).title[1][1]") == " NIL, line 3 "
    nvim.do("close")
    nvim.cursor("x.at")
    nvim.do("CroqExpand")
    (said,) = nvim.value("said")
    assert said.startswith("croqtile: there is no use of a macro here")


def test_stages_stand_beside_the_source(nvim: Neovim) -> None:
    """Their lines lead to the source, as those of generated code."""
    nvim.edit("stages.co", CURRENT)
    source = nvim.lua("return vim.api.nvim_get_current_buf()")
    for command, stage, word in (("CroqIr", "build", "kernel matmul"), ("CroqIr ast", "ast", "Function")):
        nvim.do(command)
        nvim.wait(f"vim.fn.bufnr('stages.co.{stage}') > 0")
        buffer = nvim.lua(f"return vim.fn.bufnr('stages.co.{stage}')")
        assert word in "\n".join(nvim.lua("return vim.api.nvim_buf_get_lines(..., 0, -1, false)", buffer))
    nvim.cursor("trigger full")
    lit = "vim.api.nvim_buf_get_extmarks({}, vim.api.nvim_create_namespace('croqtile.generated'), 0, -1, {{}})"
    assert nvim.lua(f"return {lit.format(source)}") and nvim.lua(f"return {lit.format(buffer)}")
    assert {"ast", "build", "layout"} <= set(nvim.lua("return vim.fn.getcompletion('CroqIr ', 'cmdline')"))
    nvim.do("CroqIr layuot")
    (said,) = nvim.value("said")
    assert said == "croqtile: there is no stage 'layuot'; did you mean 'layout'?"


def test_migration_can_be_taken_back(nvim: Neovim) -> None:
    nvim.edit("migrate.co", SMALL)
    nvim.do("CroqMigrate")
    nvim.wait("#said == 1 or #floats() == 1")
    assert "empty[MATMUL_STAGES] = ready" in "\n".join(nvim.text())
    nvim.clear()
    nvim.do(f"edit {nvim.folder / 'migrate.co'}")
    assert nvim.text() == SMALL.splitlines()


def test_migration_tells_of_functions_that_cannot_be_read(nvim: Neovim) -> None:
    nvim.edit("unread.co", SMALL.replace("wait full[stage];", "wait"))
    nvim.do("CroqMigrate")
    (said,) = nvim.value("said")
    assert said == (
        "croqtile: there is nothing to move to the current dialect; 1 function cannot be read and was left as it is"
    )
    assert nvim.lua("return vim.fn.getcompletion('CroqMigrate ', 'cmdline')") == ["current", "course"]


def test_a_rule_is_explained_by_its_finding_or_its_name(nvim: Neovim) -> None:
    nvim.edit("explain.co", ADD.replace("a.at(i, j) +", "aa.at(i, j) +"))
    nvim.value("vim.diagnostic.get(0)")
    nvim.cursor("aa.at")
    nvim.do("CroqExplain")
    assert nvim.float().startswith("# undeclared-name\n")
    nvim.do("close")
    nvim.cursor("__co__")
    nvim.do("CroqExplain")
    nvim.do("CroqExplain credit-deadlok")
    nothing, said = nvim.value("#said == 2 and said")
    assert nothing == "croqtile: no finding here; :CroqExplain RULE explains one by its name"
    assert "credit-deadlock" in said
    names = nvim.lua("return vim.fn.getcompletion('CroqExplain credit-', 'cmdline')")
    assert "credit-deadlock" in names
    assert nvim.lua("return vim.fn.getcompletion('CroqExplain ', 'cmdline')")[0] == "undeclared-name"
