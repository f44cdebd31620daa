--- Generated code and stages of the compiler beside their source, the cursor's line lit on both sides. Must not ask for
--- anything else.
local float = require("croqtile.float")
local server = require("croqtile.server")
local M = {}

M.FORMS = { "cuda", "full", "ptx", "sass" }
local FILETYPES = { cuda = "cuda", full = "cuda", ptx = "asm", sass = "asm" }
local space = vim.api.nvim_create_namespace("croqtile.generated")
local group = vim.api.nvim_create_augroup("croqtile.generated", {})

--- By buffer of generated code: source (buffer), form (or the name of a stage), called (the function in words, "" for all),
--- lines (as `code.lines`), tick (of the source then), again (makes it anew).
local views = {}

local function light(buffer, lines)
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  local count = vim.api.nvim_buf_line_count(buffer)
  for _, line in ipairs(lines) do
    if line < count then
      vim.api.nvim_buf_set_extmark(buffer, space, line, 0, { line_hl_group = "Visual" })
    end
  end
end

--- Scroll the windows of a buffer until a line is seen, their cursors in it.
local function follow(buffer, line)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    vim.api.nvim_win_set_cursor(window, { line + 1, 0 })
  end
end

--- The generated lines of the innermost statement that holds a line of the source.
local function of_source(view, line)
  local innermost, found = -1, {}
  for _, item in ipairs(view.lines) do
    local range = item.range
    if range.start.line <= line and line <= range["end"].line and range.start.line >= innermost then
      if range.start.line > innermost then
        innermost, found = range.start.line, {}
      end
      table.insert(found, item.line)
    end
  end
  return found
end

--- The line of the source that a generated line stands for, or nil.
local function of_generated(view, line)
  for _, item in ipairs(view.lines) do
    if item.line == line then
      return item.range.start.line
    end
  end
end

local function lit(own, lines, other, others, moves)
  light(own, lines)
  light(other, others)
  if moves and others[1] then
    follow(other, others[1])
  end
end

--- What is lit when the cursor of the current window has moved. Lines of a text that was changed since lead nowhere.
local function moved(event)
  local here = vim.api.nvim_win_get_cursor(0)[1] - 1
  for buffer, view in pairs(views) do
    local fresh = vim.api.nvim_buf_get_changedtick(view.source) == view.tick
    if event.buf == view.source then
      local found = fresh and of_source(view, here) or {}
      lit(view.source, #found > 0 and { here } or {}, buffer, found, true)
    elseif event.buf == buffer then
      local line = fresh and of_generated(view, here)
      lit(buffer, line and { here } or {}, view.source, line and { line } or {}, true)
    end
  end
end

local function forget(buffer)
  local view = views[buffer]
  views[buffer] = nil
  if view and vim.api.nvim_buf_is_valid(view.source) then
    vim.api.nvim_buf_clear_namespace(view.source, space, 0, -1)
  end
end

local function mistakes(code)
  return vim.tbl_map(function(item)
    return ("line %d: %s [%s]"):format(item.range.start.line + 1, item.message, item.code)
  end, code.diagnostics)
end

--- The buffer of a form of a source, made and shown beside it where it is not there yet.
local function buffer_of(source, form, called)
  for buffer, view in pairs(views) do
    if view.source == source and view.form == form and view.called == called then
      return buffer
    end
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(source), ":t")
  local whose = called ~= "" and called .. "@" or ""
  vim.api.nvim_buf_set_name(buffer, ("croqtile://%d/%s%s.%s"):format(source, whose, name, form))
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].filetype = FILETYPES[form] or ""
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = buffer,
    callback = function()
      forget(buffer)
    end,
  })
  return buffer
end

local function show(source, form, called, tick, code, again)
  if code.text == "" then
    local said = #code.diagnostics > 0 and table.concat(mistakes(code), "\n") or "there is no kernel here"
    server.say(said, vim.log.levels.WARN)
    return
  end
  local buffer = buffer_of(source, form, called)
  views[buffer] = { source = source, form = form, called = called, lines = code.lines, tick = tick, again = again }
  float.fill(buffer, vim.split(code.text, "\n", { trimempty = true }))
  if #vim.fn.win_findbuf(buffer) == 0 then
    vim.api.nvim_open_win(buffer, false, { split = "right", win = vim.fn.bufwinid(source) })
  end
  moved({ buf = vim.api.nvim_get_current_buf() })
end

--- Open, or make anew, the code of a form; `which` names one function of the file: `entry`, and `overload` where others
--- have that name.
function M.open(form, which, source)
  which = which or {}
  source = source or vim.api.nvim_get_current_buf()
  if not vim.tbl_contains(M.FORMS, form) then
    local forms = table.concat(M.FORMS, ", ")
    server.say(("'%s' is no form of generated code; there are %s"):format(form, forms), vim.log.levels.WARN)
    return
  end
  local tick = vim.api.nvim_buf_get_changedtick(source)
  local called = (which.entry or "") .. (which.overload and (" (%d)"):format(which.overload + 1) or "")
  server.ask("croqtile/generated", vim.tbl_extend("error", { form = form }, which), function(answer)
    if vim.api.nvim_buf_is_valid(source) then
      show(source, form, called, tick, answer.code, function()
        M.open(form, which, source)
      end)
    end
  end, source)
end

--- The same for what a stage of the compiler made of the file.
function M.open_stage(stage, source)
  source = source or vim.api.nvim_get_current_buf()
  local tick = vim.api.nvim_buf_get_changedtick(source)
  server.ask("croqtile/ir", { after = stage }, function(answer)
    if vim.api.nvim_buf_is_valid(source) then
      show(source, stage, "", tick, { text = answer.text, lines = answer.lines, diagnostics = {} }, function()
        M.open_stage(stage, source)
      end)
    end
  end, source)
end

vim.api.nvim_create_autocmd("CursorMoved", { group = group, callback = moved })
-- What stands beside a file follows it when it is written.
vim.api.nvim_create_autocmd("BufWritePost", {
  group = group,
  callback = function(event)
    for buffer, view in pairs(views) do
      if view.source == event.buf and #vim.fn.win_findbuf(buffer) > 0 then
        view.again()
      end
    end
  end,
})

return M
