--- What is asked once and read: shared memory, what a macro becomes, a rule's page, what migration did, the doctor. Must not run kernels.
local float = require("croqtile.float")
local server = require("croqtile.server")
local M = {}

--- What the server answers to a command about no document, asked at once; nil where it does not.
local function answer_of(command)
  local client = server.client()
  local ask = { command = command, arguments = {} }
  local answer = client and client:request_sync("workspace/executeCommand", ask, 2000)
  return answer and answer.result
end

-- --- shared memory ---

local function tensor(item)
  local shape = item.element .. " [" .. table.concat(item.shape, ", ") .. "]"
  local slots = item.slots > 1 and ("%d slots, %d apart"):format(item.slots, item.stride) or ""
  local swizzle = item.swizzle > 0 and ("swizzle %d"):format(item.swizzle) or ""
  return { tostring(item.offset), tostring(item.bytes), item.name, shape, slots, swizzle }
end

--- Rows of cells as lines, columns aligned; numbers (the first two columns) to the right.
local function table_of(rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for column, text in ipairs(row) do
      widths[column] = math.max(widths[column] or 0, #text)
    end
  end
  return vim.tbl_map(function(row)
    local cells = {}
    for column, text in ipairs(row) do
      cells[column] = ((column <= 2 and "%%%ds" or "%%-%ds"):format(widths[column])):format(text)
    end
    return "  " .. table.concat(cells, "  "):gsub("%s+$", "")
  end, rows)
end

--- The lines for an answer of `croqtile/sharedMemory`.
function M.shared_lines(answer)
  local lines = {}
  for _, kernel in ipairs(answer.kernels) do
    local share = 100 * kernel.bytes / kernel.limit
    local title = "%s: %d of %d bytes a block (%.0f %%)"
    table.insert(lines, title:format(kernel["function"], kernel.bytes, kernel.limit, share))
    local rows = { { "offset", "bytes", "tensor", "elements", "", "" } }
    vim.list_extend(rows, vim.tbl_map(tensor, kernel.tensors))
    vim.list_extend(lines, #kernel.tensors > 0 and table_of(rows) or { "  no tensor in shared memory" })
  end
  for _, item in ipairs(answer.diagnostics) do
    table.insert(lines, ("line %d: %s [%s]"):format(item.range.start.line + 1, item.message, item.code))
  end
  return #lines > 0 and lines or { "there is no kernel here" }
end

--- `which` names one function of the file: `entry`, and `overload` where others have that name; all without it.
function M.shared(which, buffer)
  server.ask("croqtile/sharedMemory", which or {}, function(answer)
    float.read(M.shared_lines(answer), { title = "Shared memory" })
  end, buffer)
end

-- --- macros and stages ---

--- The lines for an answer of `croqtile/expansion`.
function M.expansion_lines(answer)
  return answer.text == "" and { "// nothing" } or vim.split(answer.text, "\n")
end

--- What the use of a macro under the cursor becomes.
function M.expand()
  local client = server.client()
  local ask = client and { position = vim.lsp.util.make_position_params(0, client.offset_encoding).position } or {}
  server.ask("croqtile/expansion", ask, function(answer)
    local title = ("%s, line %d"):format(answer.name, answer.range.start.line + 1)
    float.read(M.expansion_lines(answer), { title = title, filetype = "croqtile" })
  end)
end

--- The names of the stages of the compiler, as far as a server tells them at once.
function M.stages()
  local client = server.client()
  local document = { textDocument = { uri = vim.uri_from_bufnr(0) } }
  local answer = client and client:request_sync("croqtile/ir", document, 2000)
  return answer and answer.result and answer.result.stages or {}
end

-- --- rules ---

-- Adds what has not come yet to a list of names.
local function add(names, more)
  for _, name in ipairs(more) do
    if type(name) == "string" and not vim.tbl_contains(names, name) then
      table.insert(names, name)
    end
  end
  return names
end

local function codes(found)
  return vim.tbl_map(function(item)
    return item.code or false
  end, found)
end

--- The rules of the findings in the line of the cursor, without doubles.
function M.rules_here()
  return add({}, codes(vim.diagnostic.get(0, { lnum = vim.api.nvim_win_get_cursor(0)[1] - 1 })))
end

--- The names of all rules, those of the findings here first; as far as a server tells them at once.
function M.rules()
  local names = add(M.rules_here(), codes(vim.diagnostic.get(0)))
  for _, rule in ipairs((answer_of("croqtile.explain") or {}).rules or {}) do
    add(names, { rule.name })
  end
  return names
end

--- The page of a rule; without a name, of the first finding in the line of the cursor.
function M.explain(name)
  name = name or M.rules_here()[1]
  if not name then
    server.say("no finding here; :CroqExplain RULE explains one by its name")
    return
  end
  server.execute("croqtile.explain", { name }, function(answer)
    float.read(vim.split(answer.text, "\n"), { title = answer.rule, filetype = "markdown" })
  end)
end

-- --- migration ---

--- The names of the dialects that a file can be moved to.
function M.dialects()
  return vim.tbl_map(function(dialect)
    return dialect.name
  end, (answer_of("croqtile.migrate") or {}).dialects or {})
end

--- The functions that cannot be read, in words.
local function skipped(count)
  return count == 1 and "1 function cannot be read and was left as it is"
    or ("%d functions cannot be read and were left as they are"):format(count)
end

--- To the dialect `to`; nil: the current one. The edit can be undone like any other.
function M.migrate(to)
  local arguments = { vim.uri_from_bufnr(0), to and { to = to } }
  server.execute("croqtile.migrate", arguments, function(answer)
    local said = answer.message
    if answer.skipped and answer.skipped > 0 then
      said = said .. "; " .. skipped(answer.skipped)
    end
    if answer.kept and #answer.kept > 0 then
      float.read(vim.list_extend({ said, "", "left as it is:" }, answer.kept), { title = "Migration" })
    else
      server.say(said)
    end
  end)
end

-- --- the doctor ---

--- The lines for `croq doctor --json`, a finding each, with the way out below it.
function M.doctor_lines(answer)
  local lines = {}
  for _, item in ipairs(answer.findings) do
    table.insert(lines, ("%-9s %-14s %s"):format(item.state, item.name, item.detail))
    if item.hint ~= "" then
      table.insert(lines, (" "):rep(25) .. item.hint)
    end
  end
  return vim.list_extend(lines, { "", answer.summary })
end

--- Hands over what `croq doctor` says, or nil and the reason. Asks the program, so that no server need run.
function M.examine(on_answer)
  local command = { server.croq(), "doctor", "--json" }
  local started = pcall(vim.system, command, { text = true }, function(done)
    local read, answer = pcall(vim.json.decode, done.stdout)
    local failure = ("'%s' failed: %s"):format(table.concat(command, " "), vim.trim(done.stderr))
    vim.schedule(function()
      if done.code == 0 and read then
        on_answer(answer)
      else
        on_answer(nil, failure)
      end
    end)
  end)
  if not started then
    on_answer(nil, server.missing(command[1]))
  end
end

function M.doctor()
  M.examine(function(answer, reason)
    if answer then
      float.read(M.doctor_lines(answer), { title = "Doctor" })
    else
      server.say(reason, vim.log.levels.WARN)
    end
  end)
end

return M
