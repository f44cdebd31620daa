--- The server: where its program is, which client a buffer has, how it is asked. Must not show results.
local M = {}

M.NAME = "croqtile"

--- Tell the user one thing. `level` is one of `vim.log.levels`; INFO without it.
function M.say(text, level)
  vim.notify("croqtile: " .. text, level or vim.log.levels.INFO)
end

--- The folder of this plugin, links followed.
local function home()
  local file = vim.uv.fs_realpath(debug.getinfo(1, "S").source:sub(2))
  return vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(file)))
end

--- What stands for a program that was not found: the system would look for a bare name in the folder that is edited, where
--- the PATH has an empty entry, and Windows always.
local function nowhere()
  return home() .. "/none/croq"
end

--- The program in a folder of the PATH. Its empty and relative entries count for nothing.
local function on_path()
  local windows = vim.fn.has("win32") == 1
  for _, folder in ipairs(vim.split(vim.env.PATH or "", windows and ";" or ":")) do
    if vim.startswith(folder, "/") or windows and folder:find("^%a:[/\\]") then
      local program = vim.fn.exepath(vim.fs.joinpath(folder, "croq"))
      if program ~= "" then
        return program
      end
    end
  end
end

--- The program `croq`: the one on the PATH, else that of the environment or checkout which this plugin came with.
--- Never one of the workspace, which may be a stranger's.
function M.find()
  local program = on_path()
  if program then
    return program
  end
  -- ENVIRONMENT/share/nvim/site/pack/croqtile/start/croqtile, or CHECKOUT/server/clients/nvim
  for _, environment in ipairs({ "/../../../../../../..", "/../../../.venv" }) do
    for _, folder in ipairs({ "/bin/", "/Scripts/" }) do
      program = vim.fs.normalize(home() .. environment .. folder .. "croq")
      if vim.fn.executable(program) == 1 then
        return program
      end
    end
  end
  return nowhere()
end

--- A program as the user is told of it.
function M.shown(program)
  return program == nowhere() and "croq" or program
end

--- The command that installs the server where there is none: from the checkout that the plugin stands in, else from one,
--- for the package is on no index.
function M.install_hint()
  local checkout = vim.fs.normalize(home() .. "/../../..")
  if vim.uv.fs_stat(checkout .. "/pyproject.toml") then
    local make = "cd %s && python3 -m venv .venv && .venv/bin/pip install -e ."
    if vim.fn.has("win32") == 1 then
      make = "cd %s; python -m venv .venv; .venv\\Scripts\\pip install -e ."
    end
    return make:format(vim.fn.shellescape(checkout))
  end
  return "pipx install /path/to/checkout (or the path of a wheel)"
end

--- What the server is started with: the first word is the program.
function M.command()
  local config = vim.lsp.config[M.NAME]
  return config and config.cmd or { M.find(), "lsp" }
end

--- The program that answers `croq doctor`, `croq flow` and `croq --version`: the server's own, where that is `croq`.
function M.croq()
  local command = M.command()
  if type(command) == "table" and command[2] == "lsp" then
    return command[1]
  end
  return M.find()
end

--- The client of a buffer (0: the current one), or nil and the reason with the way out.
function M.client(buffer)
  local client = vim.lsp.get_clients({ bufnr = buffer or 0, name = M.NAME })[1]
  if client then
    return client
  end
  if vim.bo[buffer or 0].filetype ~= M.NAME then
    return nil, "this is no Croqtile file (.co)"
  end
  if #vim.lsp.get_clients({ bufnr = buffer or 0, name = M.NAME, _uninitialized = true }) > 0 then
    return nil, "the server is still starting; try again"
  end
  local command = M.command()
  if type(command) == "table" and vim.fn.executable(command[1]) == 0 then
    return nil, M.missing(command[1])
  end
  return nil, "the server does not run here; :checkhealth croqtile says more"
end

--- The words for a program that is not there.
function M.missing(program)
  local gone = "there is no program '%s', so nothing is checked; :checkhealth croqtile tells how to install it"
  return gone:format(M.shown(program))
end

--- Whether a value is there: neither nil nor JSON's null.
function M.is(value)
  return value ~= nil and value ~= vim.NIL
end

local function answering(on_result)
  return function(failure, result)
    if failure then
      M.say(failure.message, vim.log.levels.WARN)
    elseif M.is(result) and type(result) == "table" and result.message and vim.tbl_count(result) == 1 then
      M.say(result.message, vim.log.levels.WARN)
    else
      on_result(result)
    end
  end
end

--- Send a request of a buffer (nil: the current one); a refusal is shown as it is. Nothing is sent without a server.
local function request(method, params, on_result, buffer)
  local client, reason = M.client(buffer)
  if client then
    client:request(method, params, answering(on_result), buffer or 0)
  else
    M.say(reason, vim.log.levels.WARN)
  end
end

--- Ask about the document of a buffer.
function M.ask(method, params, on_result, buffer)
  local document = { uri = vim.uri_from_bufnr(buffer or 0) }
  request(method, vim.tbl_extend("error", params, { textDocument = document }), on_result, buffer)
end

--- Execute a command of the server, past the handlers of this plugin.
function M.execute(command, arguments, on_result)
  request("workspace/executeCommand", { command = command, arguments = arguments }, on_result)
end

return M
