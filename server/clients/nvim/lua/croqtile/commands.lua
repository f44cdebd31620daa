--- The commands `:Croq…` and those behind lenses: what each is given and where it goes. Must not do their work.
local M = {}

--- Loaded when first used.
local function lazy(module, name, ...)
  return require("croqtile." .. module)[name](...)
end

local function one_of(...)
  local words = { ... }
  return function(typed)
    return vim.tbl_filter(function(word)
      return vim.startswith(word, typed)
    end, words)
  end
end

--- Words that the server knows: a function of `texts`.
local function of_server(name)
  return function(typed)
    return one_of(unpack(lazy("texts", name)))(typed)
  end
end

--- A word of the command line, or nil.
local function word(call)
  return call.args ~= "" and call.args or nil
end

--- name, what it is, arguments as of `nvim_create_user_command`, what it does.
local COMMANDS = {
  {
    "CroqRun",
    "Run the kernels of this file and verify them: [gpu|sim]; with ! in spite of a verdict that fails",
    { nargs = "?", bang = true, complete = one_of("gpu", "sim") },
    function(call)
      lazy("run", "start", { engine = word(call), force = call.bang or nil })
    end,
  },
  {
    "CroqVerify",
    "Set simulator, card and proof of this file side by side",
    {},
    function()
      lazy("run", "start", { task = "verify" })
    end,
  },
  {
    "CroqProfile",
    "Measure on the card where the time of this file's kernels goes; with ! in spite of a verdict that fails",
    { bang = true },
    function(call)
      lazy("run", "start", { task = "profile", force = call.bang or nil })
    end,
  },
  {
    "CroqCancel",
    "End the run under way",
    {},
    function()
      lazy("run", "cancel")
    end,
  },
  {
    "CroqReport",
    "Show the last report again",
    {},
    function()
      lazy("run", "show")
    end,
  },
  {
    "CroqFlow",
    "The credit flow at the cursor; `page` opens the live page of the file in a browser",
    { nargs = "?", complete = one_of("page") },
    function(call)
      if word(call) == nil then
        lazy("flow", "at_cursor")
      elseif call.args == "page" then
        lazy("flow", "page")
      else
        lazy("server", "say", ("'%s' is unknown; :CroqFlow or :CroqFlow page"):format(call.args), vim.log.levels.WARN)
      end
    end,
  },
  {
    "CroqGenerated",
    "Show the generated code beside the source: [cuda|full|ptx|sass]",
    { nargs = "?", complete = one_of("cuda", "full", "ptx", "sass") },
    function(call)
      lazy("generated", "open", word(call) or "cuda")
    end,
  },
  {
    "CroqShared",
    "Show what lies where in shared memory",
    {},
    function()
      lazy("texts", "shared")
    end,
  },
  {
    "CroqIr",
    "Show what a stage or pass of the compiler made, beside the source; without a name the pipeline IR as it is built",
    { nargs = "?", complete = of_server("stages") },
    function(call)
      lazy("generated", "open_stage", word(call) or "build")
    end,
  },
  {
    "CroqExpand",
    "Show what the use of a macro under the cursor becomes",
    {},
    function()
      lazy("texts", "expand")
    end,
  },
  {
    "CroqMigrate",
    "Move this file to the current dialect, or to the one named",
    { nargs = "?", complete = of_server("dialects") },
    function(call)
      lazy("texts", "migrate", word(call))
    end,
  },
  {
    "CroqExplain",
    "Explain a rule: that of the finding under the cursor, or the one named",
    { nargs = "?", complete = of_server("rules") },
    function(call)
      lazy("texts", "explain", word(call))
    end,
  },
  {
    "CroqDoctor",
    "What is here for running on a card, and what is missing",
    {},
    function()
      lazy("texts", "doctor")
    end,
  },
}

--- By the server's name of a command: what a click on its lens does. Arguments: the document's address, a function, and
--- which one of that name, where there are several.
local LENSES = {
  ["croqtile.run"] = function(buffer, entry, _, which)
    lazy("run", "start", vim.tbl_extend("error", { entry = entry }, which), buffer)
  end,
  ["croqtile.verify"] = function(buffer, entry, _, which)
    lazy("run", "start", vim.tbl_extend("error", { task = "verify", entry = entry }, which), buffer)
  end,
  ["croqtile.showRun"] = function(_, entry, uri, which)
    lazy("run", "again", uri, entry, which)
  end,
  ["croqtile.showFlow"] = function(_, entry, _, which)
    lazy("flow", "page", entry, which.overload)
  end,
  ["croqtile.showCuda"] = function(buffer, entry, _, which)
    lazy("generated", "open", "cuda", vim.tbl_extend("error", { entry = entry }, which), buffer)
  end,
  ["croqtile.showSharedMemory"] = function(buffer, entry, _, which)
    lazy("texts", "shared", vim.tbl_extend("error", { entry = entry }, which), buffer)
  end,
}

function M.create()
  for _, command in ipairs(COMMANDS) do
    local name, about, arguments, work = unpack(command)
    vim.api.nvim_create_user_command(name, work, vim.tbl_extend("error", { desc = about }, arguments))
  end
  for name, work in pairs(LENSES) do
    vim.lsp.commands[name] = function(command)
      local uri, entry, which = unpack(command.arguments or {})
      work(uri and vim.uri_to_bufnr(uri) or nil, entry, uri, which or {})
    end
  end
end

return M
