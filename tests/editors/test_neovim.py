"""A real Neovim with the plugin as docs/editors.md sets it up: what LSP gives there, against the server itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editors.neovim import Neovim
from tests.editors.surroundings import croq_in, environment, snippets

pytestmark = pytest.mark.slow

KERNEL = """// an emoji 😀 stands before the code
#define TILE 16

__co__ void scale(global f16 [M, 64] src, global f16 [M, 64] out) {
  parallel b by [cdiv(M, TILE)] : block {
    shared event full[2];
    shared f16 [TILE, 64] tile_s[2];
    /* 😀 */ dma.copy src.subspan(TILE, 64).at(b, 0) => tile_s[0];
    dma.copy tile_s[0] => out.subspan(TILE, 64).at(b, 0);
  }
}
"""
BROKEN = KERNEL.replace("dma.copy src", "dma.copy srk")
# Rows of a finding: line, first and last byte, rule.
FOUND = """vim.tbl_map(function(d) return { d.lnum, d.col, d.end_col, d.code } end,
  vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }))"""


def test_a_co_file_has_its_type_colours_and_comments(nvim: Neovim) -> None:
    nvim.edit("a.co", KERNEL)
    assert nvim.lua("return { vim.bo.filetype, vim.bo.commentstring }") == ["croqtile", "// %s"]
    nvim.cursor("__co__")
    assert nvim.lua("return vim.fn.synIDattr(vim.fn.synID(vim.fn.line('.'), 1, 1), 'name')") == "croqMarker"


def test_a_mistake_is_marked_and_its_fix_applied(nvim: Neovim) -> None:
    nvim.edit("b.co", BROKEN)
    line = BROKEN.splitlines().index("    /* 😀 */ dma.copy srk.subspan(TILE, 64).at(b, 0) => tile_s[0];")
    at = len("    /* 😀 */ dma.copy ".encode())
    assert nvim.value(FOUND) == [[line, at, at + 3, "undeclared-name"]]
    nvim.cursor("srk")
    nvim.lua("""
    local line = vim.api.nvim_win_get_cursor(0)[1] - 1
    local found = vim.tbl_map(function(d) return d.user_data.lsp end, vim.diagnostic.get(0, { lnum = line }))
    vim.lsp.buf.code_action({ apply = true, context = { only = { "quickfix" }, diagnostics = found },
      filter = function(action) return action.title:find("src", 1, true) ~= nil end })
    """)
    nvim.wait("vim.api.nvim_buf_get_lines(0, 7, 8, false)[1]:find('copy src', 1, true)")
    assert nvim.text() == KERNEL.splitlines()
    nvim.wait(f"#({FOUND}) == 0")


def test_hover(nvim: Neovim) -> None:
    nvim.edit("c.co", KERNEL)
    nvim.cursor("tile_s[2]", 1)
    nvim.lua("vim.lsp.buf.hover()")
    shown = nvim.float()
    assert "shared f16 [16, 64][2]" in shown
    assert "4,096 bytes" in shown


def test_a_macro_is_renamed_behind_an_emoji_too(nvim: Neovim) -> None:
    nvim.edit("d.co", KERNEL)
    nvim.cursor("TILE 16")
    nvim.lua("vim.lsp.buf.rename('ROWS')")
    nvim.wait("vim.api.nvim_buf_get_lines(0, 1, 2, false)[1] == '#define ROWS 16'")
    assert nvim.text() == KERNEL.replace("TILE", "ROWS").splitlines()


def test_tokens_tell_kinds_apart(nvim: Neovim) -> None:
    nvim.edit("e.co", KERNEL)
    kinds = {}
    for word in ("full[2]", "tile_s[0];", "src.subspan", "M, 64] src", "TILE, 64).at"):
        nvim.cursor(word)
        at = "vim.api.nvim_win_get_cursor(0)"
        kinds[word] = nvim.value(f"vim.lsp.semantic_tokens.get_at_pos(0, {at}[1] - 1, {at}[2])")[0]["type"]
    assert kinds == {
        "full[2]": "event",
        "tile_s[0];": "buffer",
        "src.subspan": "parameter",
        "M, 64] src": "dimension",
        "TILE, 64).at": "macro",
    }


def test_inlay_hints_tell_the_bytes_of_a_shared_buffer(nvim: Neovim) -> None:
    nvim.edit("f.co", KERNEL)
    hints = nvim.value("vim.lsp.inlay_hint.get({ bufnr = 0 })")
    line = next(number for number, text in enumerate(KERNEL.splitlines()) if "tile_s[2]" in text)
    labels = [hint["inlay_hint"]["label"] for hint in hints if hint["inlay_hint"]["position"]["line"] == line]
    assert labels == ["2 × 2 KiB = 4 KiB"]


def test_settings_of_the_init_file_reach_the_server(tmp_path: Path) -> None:
    """Without them the name would be undeclared."""
    init = (
        snippets("Neovim", "lua")[0]
        + """
    vim.lsp.config("croqtile", { settings = { croqtile = { defines = { TILE = "16" } } } })
    """
    )
    nvim = Neovim(tmp_path / "files", init, environment(tmp_path, croq_in(tmp_path / "bin")))
    try:
        nvim.edit("g.co", KERNEL.replace("#define TILE 16\n", "\n").replace("src.subspan", "srk.subspan"))
        nvim.wait(f"#({FOUND}) == 1")
        assert [row[3] for row in nvim.value(FOUND)] == ["undeclared-name"]
        assert "srk" in nvim.lua("return vim.diagnostic.get(0)[1].message")
    finally:
        nvim.close()
