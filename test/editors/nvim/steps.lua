-- What the scripts that drive Neovim without a screen share. Each says on standard output how far it
-- is, and ends with 1 and the reason if a step fails.
local M = {}
local uv = vim.uv or vim.loop
local started = uv.hrtime()

M.told = {} -- what the user was told
vim.notify = function(text) table.insert(M.told, text) end

function M.lap(text) io.stdout:write(('%7.2f s  %s\n'):format((uv.hrtime() - started) / 1e9, text)) end

function M.check(value, what) if not value then error(what, 2) end return value end

-- Waits until f returns something true, and returns that.
function M.wait(what, f, seconds)
  local value, last
  local ok = vim.wait((seconds or 120) * 1000, function()
    local fine, v = pcall(f)
    if not fine then last, v = v, nil end
    value = v
    return v and true or false
  end, 50)
  if not ok then error(('waited for %s; told: %s; %s'):format(what, vim.inspect(M.told), tostring(last)), 0) end
  return value
end

-- The floating window, if there is one, and its text.
function M.float()
  for _, w in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(w).relative ~= '' then
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(w), 0, -1, false)
      return w, table.concat(lines, '\n')
    end
  end
end

-- Neovim stops the servers as it leaves; this waits for their answer.
function M.stop_servers()
  for _, c in ipairs(require('catchlens').clients()) do
    if vim.fn.has('nvim-0.11') == 1 then c:stop() else c.stop() end
  end
  M.wait('the server to end', function() return #require('catchlens').clients() == 0 end)
end

-- Runs a script's steps, and leaves Neovim.
function M.run(main)
  local ok, why = xpcall(main, function(e) return type(e) == 'string' and debug.traceback(e, 2) or e end)
  io.stdout:write(ok and 'done\n' or ('FAILED ' .. tostring(why) .. '\n'))
  vim.cmd(ok and 'qall!' or 'cquit!')
end

return M
