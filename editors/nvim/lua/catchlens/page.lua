-- Pages that the server writes, and the links in them and in hovers: each frame of
-- a chain is a Markdown link to a file and a line.
local M = {}

local api = vim.api

-- The target of the link at a column (0-based), else of the next one of the line.
local function link_at(line, col)
  local from = 1
  while true do
    local s, e, target = line:find('%[[^%]]*%]%(([^)]*)%)', from)
    if not s then return nil end
    if col < e then return target end
    from = e + 1
  end
end

-- The file and line of a link; a relative one is relative to a folder.
local function resolve(target, folder)
  local path, line = target:match('^(.-)#L(%d+)$')
  path = path or target
  if path:match('^file:') then
    path = vim.uri_to_fname(path)
  elseif path:match('^%a[%w+.-]+:') then
    return nil
  else
    path = path:gsub('%%(%x%x)', function(hex) return string.char(tonumber(hex, 16)) end)
    if not path:match('^/') then path = folder .. '/' .. path end
  end
  return vim.fn.fnamemodify(path, ':p'), tonumber(line)
end

-- Shows a line of a file in this window.
local function edit(file, line)
  vim.cmd("normal! m'") -- so that CTRL-O leads back
  if vim.fn.fnamemodify(api.nvim_buf_get_name(0), ':p') ~= file then vim.cmd('edit ' .. vim.fn.fnameescape(file)) end
  if line then
    api.nvim_win_set_cursor(0, { math.min(line, api.nvim_buf_line_count(0)), 0 })
    vim.cmd('normal! ^zv')
  end
end

--- Opens the link at the cursor: in the window before, if this one floats or
--- shows a page.
function M.follow()
  local win, buf = api.nvim_get_current_win(), api.nvim_get_current_buf()
  local target = link_at(api.nvim_get_current_line(), api.nvim_win_get_cursor(0)[2])
  if not target then return vim.notify('catchlens: no link in this line', vim.log.levels.WARN) end
  local file, line = resolve(target, vim.fn.fnamemodify(api.nvim_buf_get_name(buf), ':h'))
  if not file then
    if vim.ui.open then vim.ui.open(target) end
    return
  end
  if api.nvim_win_get_config(win).relative ~= '' then
    api.nvim_win_close(win, true)
  else
    vim.cmd('wincmd p')
    if api.nvim_get_current_win() == win then vim.cmd('aboveleft split') end
  end
  edit(file, line)
end

--- Opens a line of a file in the window before the one that shows a page.
function M.open(file, line)
  local win = api.nvim_get_current_win()
  vim.cmd('wincmd p')
  if api.nvim_get_current_win() == win then vim.cmd('aboveleft split') end
  edit(file, line)
end

--- Sets options of what a window shows now, and not of what it shows next: vim.wo does both.
function M.set_options(win, options)
  api.nvim_win_call(win, function()
    for name, value in pairs(options) do api.nvim_set_option_value(name, value, { scope = 'local' }) end
  end)
end

-- Closes the window of a page; the last one shows what was there before, as it cannot be closed.
local function close()
  if pcall(api.nvim_win_close, 0, false) then return end
  local before = vim.fn.bufnr('#')
  if before > 0 and before ~= api.nvim_get_current_buf() then vim.cmd('buffer ' .. before) else vim.cmd('enew') end
end

--- Has q close a page.
function M.map_close(buf)
  vim.keymap.set('n', 'q', close, { buffer = buf, nowait = true, desc = 'catchlens: close this page' })
end

local function map(buf)
  for _, lhs in ipairs({ '<CR>', 'gx', 'gf' }) do
    vim.keymap.set('n', lhs, M.follow, { buffer = buf, desc = 'catchlens: open this link' })
  end
end

--- Makes the links of a hover work once it is entered.
function M.watch_hovers()
  api.nvim_create_autocmd('WinEnter', {
    group = api.nvim_create_augroup('catchlens_hover', { clear = true }),
    callback = function()
      local ok = pcall(api.nvim_win_get_var, 0, 'textDocument/hover')
      if ok then map(api.nvim_get_current_buf()) end
    end,
  })
end

--- Answers window/showDocument: a page in a split, the report in the browser.
function M.show(_, params)
  vim.schedule(function()
    local path = vim.uri_to_fname(params.uri)
    if params.external then
      if not (vim.ui.open and vim.fn.has('gui_running') + vim.fn.exists('$DISPLAY') + vim.fn.exists('$WAYLAND_DISPLAY') + vim.fn.has('mac') + vim.fn.has('win32') > 0) then
        return vim.notify('catchlens: written to ' .. path)
      end
      return vim.ui.open(path)
    end
    -- A page that is open already is shown anew where it is.
    local win = vim.fn.bufwinid(vim.fn.bufnr(path))
    if win ~= -1 then
      api.nvim_set_current_win(win)
      vim.cmd('edit!')
    else
      vim.cmd('belowright split ' .. vim.fn.fnameescape(path))
    end
    local buf = api.nvim_get_current_buf()
    vim.bo[buf].filetype, vim.bo[buf].bufhidden, vim.bo[buf].swapfile = 'markdown', 'wipe', false
    vim.bo[buf].modifiable, vim.bo[buf].readonly = false, true
    M.set_options(0, { conceallevel = 2, concealcursor = 'nc', wrap = false })
    if params.selection then
      api.nvim_win_set_cursor(0, { math.min(params.selection.start.line + 1, api.nvim_buf_line_count(buf)), 0 })
      vim.cmd('normal! zt')
    end
    map(buf)
    M.map_close(buf)
  end)
  return { success = true }
end

return M
