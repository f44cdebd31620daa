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
    nvim.do("CroqExplain credit-deadlok")
    (said,) = nvim.value("said")
    assert "credit-deadlock" in said
    names = nvim.lua("return vim.fn.getcompletion('CroqExplain credit-', 'cmdline')")
    assert "credit-deadlock" in names
    assert nvim.lua("return vim.fn.getcompletion('CroqExplain ', 'cmdline')")[0] == "undeclared-name"
