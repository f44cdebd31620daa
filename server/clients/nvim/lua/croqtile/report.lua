--- The words for a run's result (docs/protocol.md, `croqtile/runResult`). Must not open windows.
local is = require("croqtile.server").is
local M = {}

local GROUPS = { verified = "DiagnosticOk", consistent = "DiagnosticOk", ["not-run"] = "DiagnosticWarn" }

local function number(value)
  return type(value) == "number" and ("%.6g"):format(value) or tostring(value)
end

local function sizes(values)
  local parts = {}
  for name, value in vim.spairs(values) do
    table.insert(parts, name .. "=" .. number(value))
  end
  return table.concat(parts, " ")
end

local function expectation(lines, item)
  if item.ok then
    table.insert(lines, ("  ok   %s  (%d elements, max error %.3g)"):format(item.text, item.total, item.norms.maxAbs))
    return
  end
  table.insert(lines, "  FAIL " .. item.text)
  local tolerance = ("rtol %s, atol %s"):format(number(item.rtol), number(item.atol))
  table.insert(lines, ("       %d of %d elements differ (%s)"):format(item.differing, item.total, tolerance))
  if is(item.within) then
    local axes = vim.tbl_map(function(axis)
      return ("%d:%d"):format(axis[1], axis[2])
    end, item.within)
    table.insert(lines, ("       all in [%s]"):format(table.concat(axes, ", ")))
  end
  if is(item.worst) then
    local index = table.concat(item.worst.index, ", ")
    local got, want = number(item.worst.got), number(item.worst.want)
    table.insert(lines, ("       worst at [%s]: got %s, expected %s"):format(index, got, want))
  end
end

local function timing(lines, item)
  local text = ("  %.1f µs on %s (median of %d)"):format(item.median * 1e6, item.card, item.rounds)
  if item.operations > 0 then
    text = text .. (", %.1f TFLOP/s"):format(item.tflops)
  end
  table.insert(lines, text .. (", %.0f GB/s"):format(item.gbps))
  local most = item.ceiling
  if is(most) and item.operations > 0 and most.tflops > 0 then
    local share = 100 * item.tflops / most.tflops
    table.insert(lines, ("  %.0f %% of this card's %.0f TFLOP/s (cuBLAS)"):format(share, most.tflops))
  end
end

local function entry(lines, marks, run)
  local name = run.name ~= "" and (" '%s'"):format(run.name) or ""
  local title = vim.trim(("%s%s %s"):format(run["function"], name, sizes(run.sizes)))
  local took = run.engine == "sim" and ("%.2f s"):format(run.time) or ("compiled in %.2f s"):format(run.compileTime)
  table.insert(lines, ("%s: %s (%s, %s, seed %d, %s)"):format(title, run.verdict, run.engine, run.arch, run.seed, took))
  table.insert(marks, { #lines - 1, #title + 2, #title + 2 + #run.verdict, GROUPS[run.verdict] or "DiagnosticError" })
  if is(run.timing) then
    timing(lines, run.timing)
  end
  if run.message ~= "" then
    local place = is(run.range) and ("line %d: "):format(run.range.start.line + 1) or ""
    vim.list_extend(lines, vim.split("  " .. place .. run.message, "\n"))
  end
  for _, item in ipairs(run.expectations) do
    expectation(lines, item)
  end
  for _, path in ipairs(run.hang) do
    table.insert(lines, ("  line %d: %s"):format(path.range.start.line + 1, path.text))
  end
  for _, text in ipairs(run.notes) do
    table.insert(lines, "  note: " .. text)
  end
  for _, text in ipairs(run.prints) do
    for _, line in ipairs(vim.split(text, "\n", { trimempty = true })) do
      table.insert(lines, "  | " .. line)
    end
  end
end

local function verification(lines, marks, item)
  entry(lines, marks, item.sim)
  if is(item.gpu) then
    entry(lines, marks, item.gpu)
  end
  for _, text in ipairs({ "proof: " .. item.static.text, item.said }) do
    if text ~= "" then
      table.insert(lines, "  " .. text)
    end
  end
  table.insert(lines, item.ok and "  verified by every engine that is here" or "  not verified")
  table.insert(marks, { #lines - 1, 2, -1, item.ok and "DiagnosticOk" or "DiagnosticError" })
  if not item.agree then
    table.insert(lines, "  simulator, card and proof contradict each other")
  end
end

--- The single runs in a result, as in the server's history.
function M.entries(result)
  local found = vim.list_extend({}, result.runs or {})
  for _, item in ipairs(result.verified or {}) do
    for _, run in ipairs({ item.sim, is(item.gpu) and item.gpu or nil }) do
      table.insert(found, run)
    end
  end
  return found
end

--- The lines of a result and their marks for `float`.
function M.lines(result)
  local lines, marks = {}, {}
  for _, run in ipairs(result.runs or {}) do
    entry(lines, marks, run)
  end
  for _, item in ipairs(result.verified or {}) do
    verification(lines, marks, item)
  end
  return lines, marks
end

return M
