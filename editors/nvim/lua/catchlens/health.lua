-- :checkhealth catchlens
local M = {}

local h = vim.health or require('health')
local start, ok, warn, err, info = h.start or h.report_start, h.ok or h.report_ok, h.warn or h.report_warn, h.error or h.report_error, h.info or h.report_info

local function check_program(cmd)
  local program = cmd[1]
  if vim.fn.executable(program) == 0 then
    err(program .. ' was not found', { 'Install catchlens and put it on PATH, or call require("catchlens").setup{ cmd = { "/path/to/catchlens", "lsp" } }' })
    return false
  end
  local said = vim.trim(vim.fn.system({ program, 'version' }))
  if vim.v.shell_error ~= 0 or not said:match('^catchlens ') then
    warn(program .. ' does not say that it is catchlens: ' .. (vim.split(said, '\n')[1] or ''))
  else
    ok(vim.fn.exepath(program) .. ': ' .. said)
  end
  return true
end

local function check_java()
  local home = vim.env.JAVA_HOME
  if home and home ~= '' then
    if vim.fn.executable(home .. '/bin/javac') == 1 then ok('JAVA_HOME is ' .. home) else warn('JAVA_HOME is ' .. home .. ', which has no bin/javac') end
  elseif vim.fn.executable('javac') == 1 then
    ok('javac is on PATH')
  else
    warn('neither JAVA_HOME nor javac on PATH', { 'A JDK is needed to analyse and to run tests.', '"catchlens doctor" says which JDKs it finds.' })
  end
end

function M.check()
  local catchlens = require('catchlens')
  start('catchlens')
  local v = vim.version()
  if vim.fn.has('nvim-0.7') == 0 then
    err('Neovim 0.7 or later is needed')
  else
    ok(('Neovim %d.%d.%d'):format(v.major, v.minor, v.patch))
  end
  local found = check_program(catchlens.config.cmd)
  check_java()
  if not found then return end
  local clients = catchlens.clients()
  for _, c in ipairs(clients) do info('a server is running for ' .. tostring(c.config.root_dir)) end
  if #clients == 0 then info('no server is running: open a Java file, and :messages says why if there is still none') end
end

return M
