-- Runs at the start of Neovim: file type, colours, the server, the commands. Must not load more than it needs then.
if vim.g.loaded_croqtile then
  return
end
vim.g.loaded_croqtile = true

if vim.fn.has("nvim-0.11") == 0 then
  vim.notify("croqtile: Neovim 0.11 or newer is needed; this is " .. tostring(vim.version()), vim.log.levels.WARN)
  return
end

vim.filetype.add({ extension = { co = "croqtile" } })

-- In a checkout the Vim syntax file stands beside the plugin; the Python package brings it as a plugin of its own.
local here = vim.fs.dirname(vim.fs.dirname(vim.uv.fs_realpath(debug.getinfo(1, "S").source:sub(2))))
local colours = vim.fs.normalize(here .. "/../../../syntaxes/vim")
if vim.fn.isdirectory(colours) == 1 and #vim.api.nvim_get_runtime_file("syntax/croqtile.vim", false) == 0 then
  vim.opt.runtimepath:append(colours)
end

require("croqtile.commands").create()
require("croqtile.attach").follow()
vim.lsp.enable("croqtile")
