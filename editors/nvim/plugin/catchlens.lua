-- Defaults that work without setup(): start for Java buffers, :Catchlens.
if vim.g.loaded_catchlens then return end
vim.g.loaded_catchlens = true

vim.api.nvim_create_user_command('Catchlens', function(o) require('catchlens').command(o.args) end, {
  nargs = 1, desc = 'catchlens: run, run-all, chains, report, ...',
  complete = function(prefix) return require('catchlens').complete(prefix) end,
})

vim.api.nvim_create_autocmd('FileType', {
  pattern = 'java', group = vim.api.nvim_create_augroup('catchlens', { clear = true }),
  callback = function(ev)
    if require('catchlens').config.autostart then require('catchlens').start(ev.buf) end
  end,
})
