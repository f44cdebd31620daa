--- What happens by itself: lenses kept fresh, progress shown, one word where the server is missing. Must not ask more.
local server = require("croqtile.server")
local M = {}

local told = false

--- One message a session, however many files are opened.
local function tell_if_missing()
  local command = server.command()
  if not told and type(command) == "table" and vim.fn.executable(command[1]) == 0 then
    told = true
    server.say(server.missing(command[1]), vim.log.levels.WARN)
  end
end

local function lenses(buffer)
  local typing = vim.startswith(vim.api.nvim_get_mode().mode, "i")
  if not typing and vim.api.nvim_buf_is_loaded(buffer) and server.client(buffer) then
    vim.lsp.codelens.refresh({ bufnr = buffer })
  end
end

--- One line below the text, short enough to need no key press, gone with the next message.
local function progress(event)
  local client = vim.lsp.get_client_by_id(event.data.client_id)
  local value = event.data.params.value
  if client and client.name == server.NAME and type(value) == "table" then
    local text = value.kind == "end" and "" or vim.trim(("%s %s"):format(value.title or "", value.message or ""))
    vim.api.nvim_echo({ { vim.fn.strcharpart(text, 0, math.max(vim.o.columns - 12, 0)) } }, false, {})
  end
end

function M.follow()
  local group = vim.api.nvim_create_augroup("croqtile", {})
  local function on(events, pattern, callback)
    vim.api.nvim_create_autocmd(events, { group = group, pattern = pattern, callback = callback })
  end
  on("FileType", server.NAME, tell_if_missing)
  on("LspProgress", nil, progress)
  on("LspAttach", nil, function(event)
    lenses(event.buf)
  end)
  -- Findings come for each text, and again when the server has new settings.
  on({ "BufEnter", "InsertLeave", "DiagnosticChanged" }, "*.co", function(event)
    lenses(event.buf)
  end)
end

return M
