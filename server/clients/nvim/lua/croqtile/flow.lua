--- The credit flow: as text at the cursor, or as the live page of `croq flow --serve`. Must not draw.
local float = require("croqtile.float")
local server = require("croqtile.server")
local is = server.is
local M = {}

-- --- at the cursor ---

local function turns(iteration)
  local parts = {}
  for name, value in vim.spairs(iteration) do
    table.insert(parts, ("%s = %d"):format(name, value))
  end
  return #parts > 0 and (" (%s)"):format(table.concat(parts, ", ")) or ""
end

local function many(count, word)
  return ("%d %s%s"):format(count, word, count == 1 and "" or "s")
end

local function cell(item)
  local waiting = vim.tbl_map(function(one)
    return ("%s for generation %d"):format(one.path, one.generation)
  end, item.waiting)
  local waits = #waiting > 0 and "; waited on by " .. table.concat(waiting, ", ") or ""
  local bytes = item.bytes > 0 and (", %d bytes to land"):format(item.bytes) or ""
  return ("%s[%d]: %s completed, parity %d, %d of %s missing%s%s"):format(
    item.event,
    item.slot,
    many(item.completed, "generation"),
    item.parity,
    item.pending,
    many(item.arrivals, "arrival"),
    bytes,
    waits
  )
end

local function stand(item)
  if not is(item.step) then
    return item.text
  end
  return ("line %d%s"):format(item.range.start.line + 1, turns(item.iteration))
end

local function between(item)
  local early, late = stand(item.earliest), stand(item.latest)
  local where = early == late and early or ("between %s and %s"):format(early, late)
  return ("  %s stands: %s"):format(item.path, where)
end

local function visit(lines, item)
  table.insert(lines, ("step %d: %s"):format(item.step, item.text))
  if is(item.barrier) then
    table.insert(lines, "  " .. cell(item.barrier))
  end
  for _, one in ipairs(item.credits) do
    if one.credits > 0 then
      table.insert(lines, ("  %s has %s of %s[%d]"):format(one.path, many(one.credits, "credit"), one.event, one.slot))
    end
  end
  for _, one in ipairs(item.buffers) do
    local slot = is(one.slot) and ("[%d]"):format(one.slot) or ""
    table.insert(lines, ("  %s%s is in flight (line %d)"):format(one.buffer, slot, one.range.start.line + 1))
  end
  for _, one in ipairs(item.paths) do
    if one.path ~= item.path then
      table.insert(lines, between(one))
    end
  end
end

--- The lines for an answer of `croqtile/flowAt`.
function M.lines(answer)
  if answer["function"] == "" then
    return { "the cursor is outside kernels" }
  end
  local lines = { ("%s: %s"):format(answer["function"], answer.strength) }
  if #answer.visits == 0 then
    local fails = "it fails; `:CroqFlow page` shows the counterexample"
    table.insert(lines, answer.verdict == "fails" and fails or "no path comes here in the small run that is shown")
  end
  for _, item in ipairs(answer.visits) do
    table.insert(lines, "")
    visit(lines, item)
  end
  return lines
end

function M.at_cursor()
  local client, reason = server.client()
  if not client then
    server.say(reason, vim.log.levels.WARN)
    return
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  server.ask("croqtile/flowAt", { position = params.position }, function(answer)
    float.at_cursor(M.lines(answer), "Credit flow")
  end)
end

-- --- the page ---

--- By file: the process that serves it, its address once it has told that, and what is wanted of it until then.
local pages = {}

--- The part of an address that names a function, and which one where others have its name.
local function part(entry, overload)
  if not entry then
    return ""
  end
  return "#function=" .. vim.uri_encode(entry) .. (overload and ("&overload=%d"):format(overload) or "")
end

local function open(address)
  local _, failure = vim.ui.open(address)
  server.say(failure and ("open %s in a browser"):format(address) or address)
end

--- `flags`: the settings of the editor as options of `croq`; `wanted`: as `part` tells it.
local function serve(file, flags, wanted)
  local command = { server.croq(), "flow", file, "--serve" }
  local page, complaint = { heard = "", wanted = wanted }, ""
  local function hear(_, text)
    page.heard = page.heard .. (text or "")
    local address = page.heard:match("http://127%.0%.0%.1:%d+/")
    if address and not page.address then
      page.address = address
      vim.schedule(function()
        open(address .. page.wanted)
      end)
    end
  end
  local started, process = pcall(vim.system, vim.list_extend(command, flags), {
    stdout = hear,
    stderr = function(_, text)
      complaint = complaint .. (text or "")
    end,
  }, function()
    pages[file] = nil
    if not page.address then
      vim.schedule(function()
        server.say(vim.trim(complaint), vim.log.levels.WARN)
      end)
    end
  end)
  if not started then
    server.say(server.missing(command[1]), vim.log.levels.WARN)
    return
  end
  page.process = process
  pages[file] = page
end

--- Open the page of the current file in the browser, at a function where one is named (`overload`: which one of that
--- name); it follows the file as it is written.
function M.page(entry, overload)
  local file = vim.api.nvim_buf_get_name(0)
  if vim.bo.filetype ~= server.NAME or not vim.uv.fs_stat(file) then
    server.say("the page shows a Croqtile file (.co) that is written; :write it first", vim.log.levels.WARN)
    return
  end
  local known, wanted = pages[file], part(entry, overload)
  if known and known.address then
    open(known.address .. wanted)
  elseif known then
    known.wanted = wanted
  elseif not server.client() then
    serve(file, {}, wanted)
  else
    server.ask("croqtile/document", {}, function(answer)
      if not pages[file] then
        serve(file, answer.flags, wanted)
      end
    end)
  end
end

vim.api.nvim_create_autocmd("VimLeavePre", {
  group = vim.api.nvim_create_augroup("croqtile.flow", {}),
  callback = function()
    for _, page in pairs(pages) do
      page.process:kill("sigterm")
    end
  end,
})

return M
