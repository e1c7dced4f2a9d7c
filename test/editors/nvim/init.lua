-- What a user's init.lua does for catchlens, with the program of this test.
-- Sourced by -u, so before plugins are loaded.
vim.opt.runtimepath:prepend(vim.env.CATCHLENS_PLUGIN)
vim.opt.swapfile, vim.opt.signcolumn, vim.opt.number = false, 'yes', true
vim.g.maplocalleader = ','
vim.opt.statusline = "%f %m%=%{v:lua.require'catchlens'.status()}"
require('catchlens').setup({
  cmd = vim.json and vim.json.decode(vim.env.CATCHLENS_COMMAND) or vim.fn.json_decode(vim.env.CATCHLENS_COMMAND),
  settings = { cacheDir = vim.env.CATCHLENS_CACHE, faults = vim.env.CATCHLENS_FAULTS },
})
