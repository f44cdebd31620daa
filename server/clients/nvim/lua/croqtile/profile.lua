--- A profile: its words for the report, and the shares of time beside each wait until the next edit. Must not open windows.
local is = require("croqtile.server").is
local M = {}

local space = vim.api.nvim_create_namespace("croqtile.profile")
local group = vim.api.nvim_create_augroup("croqtile.profile", {})

local function microseconds(seconds)
  return ("%.1f µs"):format(seconds * 1e6)
end

--- The waits of a profile in the order of the text, one a statement: its range, and the stays there, each with its block.
local function waits(profile)
  local found, at = {}, {}
  for _, kernel in ipairs(profile.kernels) do
    for _, block in ipairs(kernel.blocks) do
      for _, place in ipairs(block.places) do
        if place.isWait then
          local key = ("%d:%d"):format(place.range.start.line, place.range.start.character)
          if not at[key] then
            at[key] = { range = place.range, stays = {} }
            table.insert(found, at[key])
          end
          table.insert(at[key].stays, { place = place, block = block.block })
        end
      end
    end
  end
  table.sort(found, function(a, b)
    local one, other = a.range.start, b.range.start
    return one.line < other.line or (one.line == other.line and one.character < other.character)
  end)
  return found
end

local function percent(place)
  return math.floor(100 * place.share + 0.5)
end

--- As in "stalls 50–61 %".
local function share(wait)
  local least, most = math.huge, 0
  for _, stay in ipairs(wait.stays) do
    least, most = math.min(least, percent(stay.place)), math.max(most, percent(stay.place))
  end
  return least == most and ("stalls %d %%"):format(most) or ("stalls %d–%d %%"):format(least, most)
end

local function measured(lines, profile, title)
  local plain, probed = microseconds(profile.plain), microseconds(profile.probed)
  local text = "%s on %s: %s a round, %s with probes (%d rounds)"
  table.insert(lines, text:format(title, profile.card, plain, probed, profile.rounds))
  for _, kernel in ipairs(profile.kernels) do
    table.insert(lines, ("  %s: %s"):format(kernel.kernel, kernel.verdict))
    for _, try in ipairs(kernel.tries) do
      table.insert(lines, "    try: " .. try)
    end
  end
  for _, wait in ipairs(waits(profile)) do
    table.insert(lines, ("  line %d: %s"):format(wait.range.start.line + 1, share(wait)))
    for _, stay in ipairs(wait.stays) do
      local place = stay.place
      local row = "    %s, block %d: %d %% of its time in %d visits, median %d ns"
      table.insert(lines, row:format(place.path, stay.block, percent(place), place.count, place.median))
    end
  end
end

--- The lines of a result of `croq profile --json`, and their marks for `float`.
function M.lines(result)
  local lines, marks = {}, {}
  for _, profile in ipairs(result.profiles) do
    local sizes = {}
    for name, value in vim.spairs(profile.sizes) do
      table.insert(sizes, (" %s=%s"):format(name, tostring(value)))
    end
    local title = profile["function"] .. table.concat(sizes)
    if #profile.kernels > 0 then
      measured(lines, profile, title)
    else
      local place = is(profile.range) and ("line %d: "):format(profile.range.start.line + 1) or ""
      table.insert(lines, title .. " was not profiled")
      table.insert(marks, { #lines - 1, #title, -1, "DiagnosticWarn" })
      vim.list_extend(lines, vim.split("  " .. place .. profile.message, "\n"))
    end
    for _, text in ipairs(profile.notes) do
      table.insert(lines, "  note: " .. text)
    end
  end
  return lines, marks
end

--- Shows the shares beside the waits of a buffer; they go with the next edit.
function M.mark(buffer, result)
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  for _, profile in ipairs(result.profiles) do
    for _, wait in ipairs(waits(profile)) do
      local words = { { share(wait), "LspInlayHint" } }
      vim.api.nvim_buf_set_extmark(buffer, space, wait.range.start.line, 0, { virt_text = words })
    end
  end
  vim.api.nvim_clear_autocmds({ group = group, buffer = buffer })
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
    group = group,
    buffer = buffer,
    once = true,
    callback = function()
      vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
    end,
  })
end

return M
