--- Runs: started, ended, told of at their end, hangs in the quickfix list. Must not put results into words.
local float = require("croqtile.float")
local report = require("croqtile.report")
local server = require("croqtile.server")
local is = server.is
local M = {}

--- What is said behind a message of the server, by its offer.
local WAYS = {
  sim = "; :CroqRun sim runs it in the simulator",
  doctor = "; :CroqDoctor says what is missing",
}

--- The last report: its lines, marks and title. The window it stands in, if it does.
local last, window

--- `options` are those of `croqtile/run`; a run under way is not disturbed.
function M.start(options, buffer)
  server.ask("croqtile/run", options, function(answer)
    if not answer.started then
      server.say("a run is under way; :CroqCancel ends it", vim.log.levels.WARN)
    end
  end, buffer)
end

--- End the run of this buffer's server; from a buffer without one, of each server.
function M.cancel()
  local own = server.client()
  local clients = own and { own } or vim.lsp.get_clients({ name = server.NAME })
  local waiting, ended = #clients, false
  if waiting == 0 then
    server.say("nothing runs")
  end
  for _, client in ipairs(clients) do
    client:request("croqtile/runCancel", vim.empty_dict(), function(failure, answer)
      waiting, ended = waiting - 1, ended or failure ~= nil or answer.cancelled
      if failure then
        server.say(failure.message, vim.log.levels.WARN)
      elseif waiting == 0 and not ended then
        server.say("nothing runs")
      end
    end)
  end
end

local function close()
  if window and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_win_close(window, true)
  end
  window = nil
end

--- The last report again, with the cursor in it.
function M.show()
  if not last then
    server.say("there is no report yet; :CroqRun makes one")
    return
  end
  close()
  window = float.corner(last.lines, { title = last.title, marks = last.marks, enter = true })
end

--- Places of a path that stands, and of a message that has one, as entries of the quickfix list.
local function places(buffer, entries)
  local found = {}
  local function add(range, text)
    local function byte(place)
      local line = vim.api.nvim_buf_get_lines(buffer, place.line, place.line + 1, false)[1] or ""
      return 1 + vim.str_byteindex(line, "utf-16", place.character, false)
    end
    local item = { bufnr = buffer, type = "E", text = text }
    item.lnum, item.col = range.start.line + 1, byte(range.start)
    item.end_lnum, item.end_col = range["end"].line + 1, byte(range["end"])
    for _, other in ipairs(found) do
      if vim.deep_equal(other, item) then
        return
      end
    end
    table.insert(found, item)
  end
  for _, entry in ipairs(entries) do
    for _, path in ipairs(entry.hang) do
      add(path.range, path.text)
    end
    if is(entry.range) then
      add(entry.range, entry.message)
    end
  end
  return found
end

local function to_quickfix(title, uri, result)
  local buffer = vim.uri_to_bufnr(uri)
  vim.fn.bufload(buffer)
  local items = places(buffer, report.entries(result))
  if #items > 0 then
    vim.fn.setqflist({}, " ", { title = title, items = items })
  end
  return #items
end

--- Beside the source stands what was measured of it, and not of a text before.
local function mark(result)
  local buffer = vim.uri_to_bufnr(result.uri)
  if vim.lsp.util.buf_versions[buffer] == result.documentVersion then
    require("croqtile.profile").mark(buffer, result.result)
  end
end

--- A run has ended: `result` is `croqtile/runResult`.
function M.ended(result)
  if result.state ~= "done" then
    local way = is(result.offer) and WAYS[result.offer] or ""
    local level = result.state == "failed" and vim.log.levels.ERROR or vim.log.levels.WARN
    server.say(result.message .. way, level)
    return
  end
  local words = result.task == "profile" and require("croqtile.profile") or report
  local lines, marks = words.lines(result.result)
  local title = "Croqtile: " .. result.task
  if result.offer == "force" then
    local anyway = result.task == "profile" and ":CroqProfile! measures" or ":CroqRun! gpu runs"
    table.insert(lines, anyway .. " on the card what the verdict keeps from it")
  end
  if #lines == 0 then
    lines = { "there is nothing to run here: no function with sizes" }
  end
  local count = to_quickfix(title, result.uri, result.result)
  if count > 0 then
    table.insert(lines, (":copen lists the %s"):format(count == 1 and "place" or count .. " places"))
  end
  if result.task == "profile" then
    mark(result)
  end
  last = { lines = lines, marks = marks, title = title }
  close()
  window = float.corner(lines, { title = title, marks = marks })
end

--- What came of the last run of a function, as its lens tells it.
function M.again(uri, entry, which)
  server.execute("croqtile.showRun", { uri, entry, next(which) and which }, M.ended)
end

-- The report goes when typing goes on.
vim.api.nvim_create_autocmd("InsertEnter", {
  group = vim.api.nvim_create_augroup("croqtile.run", {}),
  callback = close,
})

return M
