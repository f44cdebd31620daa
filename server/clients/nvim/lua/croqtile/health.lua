--- `:checkhealth croqtile`: what the plugin needs, what is there, what installs the rest. Must not change anything.
local server = require("croqtile.server")
local texts = require("croqtile.texts")
local M = {}

local function editor()
  vim.health.start("Editor")
  local number = vim.version()
  local version = ("%d.%d.%d"):format(number.major, number.minor, number.patch)
  if vim.fn.has("nvim-0.11") == 1 then
    vim.health.ok("Neovim " .. version)
  else
    vim.health.error("Neovim " .. version .. " is too old", "install Neovim 0.11 or newer")
  end
  if #vim.api.nvim_get_runtime_file("syntax/croqtile.vim", false) > 0 then
    vim.health.ok("colours: syntax/croqtile.vim is found")
  else
    local way = "add the folder syntaxes/vim of a checkout to 'runtimepath'"
    vim.health.warn("colours without the server: syntax/croqtile.vim is not found", way)
  end
end

--- Whether the program answers.
local function program()
  vim.health.start("Program")
  local croq = server.croq()
  local started, process = pcall(vim.system, { croq, "--version" }, { text = true })
  if not started then
    vim.health.error(("there is no program '%s'"):format(server.shown(croq)), {
      server.install_hint(),
      'or, where it is elsewhere: vim.lsp.config("croqtile", { cmd = { "/path/to/croq", "lsp" } })',
    })
    return false
  end
  local done = process:wait(30000)
  if done.code ~= 0 then
    vim.health.error(("'%s' does not start: %s"):format(croq, vim.trim(done.stderr)), server.install_hint())
    return false
  end
  vim.health.ok(("%s (%s)"):format(vim.trim(done.stdout), vim.fn.exepath(croq)))
  return true
end

local function attached()
  vim.health.start("Server")
  local clients = vim.lsp.get_clients({ name = server.NAME })
  for _, client in ipairs(clients) do
    local buffers = vim.tbl_count(client.attached_buffers)
    local root = client.root_dir or "no folder"
    vim.health.ok(("attached to %d buffer%s, %s"):format(buffers, buffers == 1 and "" or "s", root))
  end
  if #clients == 0 then
    vim.health.warn("not attached", { "open a .co file", "the log tells why it ended: " .. vim.lsp.get_log_path() })
  end
end

local function card()
  vim.health.start("Running on a card")
  local came, answer, reason = false, nil, "no answer within 30 s"
  texts.examine(function(...)
    came, answer, reason = true, ...
  end)
  vim.wait(30000, function()
    return came
  end, 20)
  if not answer then
    vim.health.error(reason)
    return
  end
  local say = { ok = vim.health.ok, optional = vim.health.info }
  for _, item in ipairs(answer.findings) do
    local text = ("%s: %s"):format(item.name, item.detail)
    if say[item.state] then
      say[item.state](text .. (item.hint ~= "" and "; " .. item.hint or ""))
    else
      vim.health.warn(text, item.hint ~= "" and item.hint or nil)
    end
  end
  vim.health.info(answer.summary)
end

function M.check()
  editor()
  if program() then
    attached()
    card()
  end
end

return M
