-- How the server is started, found by `vim.lsp.config`. `vim.lsp.config("croqtile", {...})` in init.lua goes over it.
return {
  cmd = { require("croqtile.server").find(), "lsp" },
  filetypes = { "croqtile" },
  root_markers = { "croq.toml", ".git" },
  handlers = {
    ["croqtile/runResult"] = function(_, result)
      require("croqtile.run").ended(result)
    end,
    ["croqtile/runProgress"] = function() end, -- the same is told by LSP's own progress
  },
}
