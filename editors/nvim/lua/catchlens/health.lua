-- :checkhealth catchlens
local M = {}

local h = vim.health
local start, ok, warn, err, info = h.start or h.report_start, h.ok or h.report_ok, h.warn or h.report_warn, h.error or h.report_error, h.info or h.report_info

function M.check()
  local config = require('catchlens').config
  start('catchlens')
  local v = vim.version()
  if v.major == 0 and v.minor < 7 then
    err('Neovim 0.7 or later is needed')
  else
    ok(('Neovim %d.%d.%d'):format(v.major, v.minor, v.patch))
  end
  local program = config.cmd[1]
  if vim.fn.executable(program) == 0 then
    err(program .. ' was not found', { 'Install catchlens and put it on PATH, or call require("catchlens").setup{ cmd = { "/path/to/catchlens", "lsp" } }' })
    return
  end
  ok(program .. ': ' .. vim.trim(vim.fn.system({ program, 'version' })))
  if vim.env.JAVA_HOME and vim.env.JAVA_HOME ~= '' then
    ok('JAVA_HOME is ' .. vim.env.JAVA_HOME)
  elseif vim.fn.executable('javac') == 1 then
    ok('javac is on PATH')
  else
    warn('neither JAVA_HOME nor javac on PATH', { 'A JDK is needed to analyse and to run tests.' })
  end
  local n = 0
  for _, c in ipairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    if c.name == 'catchlens' then
      n = n + 1
      info('server for ' .. tostring(c.config.root_dir))
    end
  end
  if n == 0 then info('no server is running: open a Java file') end
end

return M
