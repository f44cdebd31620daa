--- Windows for text: a float to read, a float in the corner, a window beside. Must not know what is shown.
local M = {}

--- A buffer of nobody's file with these lines, read-only; `marks` are {line, first byte, last byte or -1, group}.
local function scratch(lines, marks, filetype)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = "wipe"
  M.fill(buffer, lines, marks)
  if filetype then
    vim.bo[buffer].filetype = filetype
  end
  return buffer
end

local space = vim.api.nvim_create_namespace("croqtile.float")

--- Replace the text of a read-only buffer.
function M.fill(buffer, lines, marks)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  for _, mark in ipairs(marks or {}) do
    local line, from, to, group = unpack(mark)
    to = to < 0 and #lines[line + 1] or to
    vim.api.nvim_buf_set_extmark(buffer, space, line, from, { end_col = to, hl_group = group })
  end
end

local function size_of(lines)
  local width = 20
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  width = math.min(width, math.max(vim.o.columns - 6, 1))
  local height = 0
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  return width, math.max(1, math.min(height, vim.o.lines - vim.o.cmdheight - 4))
end

local function show(lines, options, place)
  local width, height = size_of(lines)
  local window = vim.api.nvim_open_win(
    scratch(lines, options.marks, options.filetype),
    options.enter,
    vim.tbl_extend("force", {
      relative = "editor",
      width = width,
      height = height,
      style = "minimal",
      border = "rounded",
      title = " " .. options.title .. " ",
    }, place(width, height))
  )
  vim.wo[window].wrap = true
  vim.wo[window].conceallevel = 2
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, "<Cmd>close<CR>", { buffer = vim.api.nvim_win_get_buf(window), nowait = true })
  end
  return window
end

--- A float in the middle with the cursor in it; `q` closes it. `options`: title, marks, filetype.
function M.read(lines, options)
  return show(lines, vim.tbl_extend("force", options, { enter = true }), function(width, height)
    return { row = (vim.o.lines - height) / 2 - 1, col = (vim.o.columns - width) / 2 }
  end)
end

--- A float in the upper right corner; the cursor stays where it is unless `options.enter`.
function M.corner(lines, options)
  return show(lines, vim.tbl_extend("keep", options, { enter = false }), function()
    return { anchor = "NE", row = 1, col = vim.o.columns }
  end)
end

--- A float at the cursor, gone when that moves; asking again goes into it.
function M.at_cursor(lines, title)
  return vim.lsp.util.open_floating_preview(lines, "", { border = "rounded", title = " " .. title .. " ", focus_id = title })
end

return M
