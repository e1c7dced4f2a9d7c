-- The page of folds of call chains with a server that this script plays: what it leaves of a window,
-- and what stays of it when answers fail or change.
local steps = dofile(debug.getinfo(1, 'S').source:match('^@(.*)[/\\]') .. '/steps.lua')
local lap, check = steps.lap, steps.check
local chaintree = require('catchlens.chaintree')

local folder = vim.fn.tempname()
local file, called = folder .. '/C.java', folder .. '/D.java'

-- The server: what it answers to a request, by its parameters.
local answer_to
local function request(_, method, params, handler)
  check(method == 'catchlens/callChains', method)
  handler(answer_to(params))
  return true
end
local client = { id = 1, request = vim.fn.has('nvim-0.11') == 1 and request or function(...) return request(nil, ...) end }

local told
local function tell(text) told = text end

local function row(key, rows, left)
  local at = { uri = vim.uri_from_fname(called), line = 2 }
  return { key = key, name = key, detail = '', state = 'tested', tests = {}, call = at, method = at, rows = rows or {}, left = left or false }
end

local function answer(rows)
  return { pending = false, class = 'p/C', method = 'm()V', title = 'Call chains', notes = {}, length = 4, ran = true, all = 1, tested = 1, rows = rows }
end

local function text() return table.concat(vim.fn.getline(1, '$'), '\n') end

local function press(keys) vim.cmd(('execute "normal %s"'):format(keys)) end

local function show() chaintree.show(client, tell, false) end

-- A window that shows the page, and nothing else, shows a file next as other windows do.
local function options()
  answer_to = function() return nil, answer({ row('a', { row('b') }) }) end
  show()
  check(vim.wo.foldmethod == 'expr' and not vim.wo.wrap and vim.fn.foldlevel(vim.fn.search('a$')) > 0, 'the page has folds: ' .. text())
  vim.cmd('only')
  press('\\<CR>')
  check(vim.api.nvim_buf_get_name(0) == called, 'a row opens its call')
  for name, value in pairs({ foldmethod = 'manual', foldexpr = '0', foldlevel = 0, wrap = true, fillchars = '' }) do
    check(vim.wo[name] == value, ('a file beside the page has %s=%s'):format(name, tostring(vim.wo[name])))
  end
  vim.cmd('only')
  local markdown = folder .. '/page.md'
  vim.fn.writefile({ '# Page' }, markdown)
  require('catchlens.page').show(nil, { uri = vim.uri_from_fname(markdown) })
  steps.wait('the page', function() return vim.fn.expand('%:t') == 'page.md' end)
  check(not vim.wo.wrap and vim.wo.conceallevel == 2, 'a page hides what is a mark')
  vim.cmd('only | edit ' .. folder .. '/E.java')
  check(vim.wo.wrap and vim.wo.conceallevel == 0 and vim.wo.concealcursor == '', 'a file in the window of a page is shown as others')
  lap('options stay with the page')
end

local function main()
  vim.fn.mkdir(folder, 'p')
  for _, f in ipairs({ file, called }) do vim.fn.writefile({ 'class X {', '    void m() {', '        m();', '    }', '}' }, f) end
  vim.cmd('edit ' .. file)
  options()
end

steps.run(main)
