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
  local err, answer = answer_to(params)
  if err == 'ended' then return false end
  handler(err, answer)
  return true
end
-- Up to Neovim 0.10 this is a function of the client, and no method.
local function request_of_0_10(...) return request(nil, ...) end
local client = { id = 1, request = vim.fn.has('nvim-0.11') == 1 and request or request_of_0_10 }

local told
local function tell(text) told = text end

local function row(key, rows, left)
  local at = { uri = vim.uri_from_fname(called), line = 2 }
  return {
    key = key, name = key, detail = '', state = 'tested', tests = {}, call = at, method = at, rows = rows or {},
    left = left or false,
  }
end

local function answer(rows)
  return {
    pending = false, class = 'p/C', method = 'm()V', title = 'Call chains', notes = {}, length = 4, ran = true,
    all = 1, tested = 1, rows = rows,
  }
end

local function text() return table.concat(vim.fn.getline(1, '$'), '\n') end

local function press(keys) vim.cmd(('execute "normal %s"'):format(keys)) end

local function show() chaintree.show(client, tell, false) end

-- A window that shows the page, and nothing else, shows a file next as other windows do.
local function options()
  answer_to = function() return nil, answer({ row('a', { row('b') }) }) end
  show()
  local folded = vim.wo.foldmethod == 'expr' and vim.fn.foldlevel(vim.fn.search('a$')) > 0
  check(folded and not vim.wo.wrap, 'the page has folds: ' .. text())
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
  local hides = vim.wo.conceallevel ~= 0 or vim.wo.concealcursor ~= ''
  check(vim.wo.wrap and not hides, 'a file in the window of a page is shown as others')
  lap('options stay with the page')
end

-- A failure leaves the page as it was, and its keys with what it shows.
local function failures()
  local class
  local function good(params)
    class = params.class
    return nil, answer({ row('a', { row('b') }) })
  end
  answer_to = good
  show()
  local shown, buf = text(), vim.api.nvim_get_current_buf()
  vim.cmd('wincmd p')
  for _, fault in ipairs({ { message = 'no compiled method is here' }, 'ended' }) do
    answer_to = function() return fault end
    told = nil
    show()
    check(told and (told == fault.message or told:find('has ended')), tostring(told))
    vim.fn.win_gotoid(vim.fn.bufwinid(buf))
    press('-')
    answer_to = good
    press('u')
    check(class == 'p/C', 'what is shown is asked for by its name')
    check(vim.fn.getline(2) == 'Shown: only untested: 1', 'what failed is not chosen: ' .. text())
    press('uu')
    check(text() == shown, text())
    vim.cmd('wincmd p')
  end

  vim.fn.win_gotoid(vim.fn.bufwinid(buf))
  chaintree.detach(client.id)
  for _, key in ipairs({ '+', '-', 'u' }) do
    told = nil
    press(key)
    check(told and told:find('has ended'), key .. ' says why it does nothing: ' .. tostring(told))
  end
  check(text() == shown, text())
  vim.fn.search('a$')
  press('gd')
  check(vim.api.nvim_buf_get_name(0) == called, 'a row opens its method after the server has ended')

  vim.fn.win_gotoid(vim.fn.bufwinid(buf))
  vim.cmd('only')
  press('q')
  check(vim.api.nvim_get_current_buf() ~= buf, 'q leaves the page in the only window')
  lap('failures leave the page as it was')
end

-- How rows of the page are folded: "a-" for a closed one, by the first letters of names.
local function folds()
  local out = {}
  for n = 1, vim.fn.line('$') do
    local name = vim.fn.getline(n):match('^ *✓ (%S+)')
    if name and vim.fn.foldclosed(n) == n then table.insert(out, name .. '-') end
    if name and vim.fn.foldclosed(n) == -1 then table.insert(out, name) end
  end
  return table.concat(out, ' ')
end

local function fold(name, command)
  vim.fn.search('✓ ' .. name .. '$', 'cw')
  vim.cmd('normal! ' .. command)
end

-- What a reader opened, closed and fetched stays when there are other chains.
local function refreshes()
  local many = {}
  for i = 1, 50 do many[i] = row('m' .. i) end
  local a_of, c_rows = 'a', { row('d', { row('e') }) }
  local function tree_answer()
    return answer({ row(a_of, { row('b', { row('b2') }) }), row('c', {}, true), row('z', many) })
  end
  answer_to = function(params)
    if not params.below then return nil, tree_answer() end
    if vim.deep_equal(params.below, { 'c' }) then return nil, answer(c_rows) end
    error(vim.inspect(params))
  end
  show()
  check(folds() == 'a- c- z-', 'a large page is closed at first: ' .. folds())
  fold('a', 'zo')
  fold('c', 'zo')
  vim.fn.search('… <CR>', 'cw')
  press('\\<CR>')
  check(folds() == 'a b- c d- z-', 'what is fetched is there: ' .. folds())
  fold('d', 'zo')
  fold('c', 'zc')
  c_rows = { row('d', { row('e'), row('f') }) }
  chaintree.refresh(client)
  check(folds() == 'a b- c- z-', 'what was opened by hand stays open: ' .. folds())
  fold('c', 'zo')
  check(folds() == 'a b- c d e f z-', 'what was fetched is there again, and open in its row: ' .. folds())
  a_of = 'n'
  chaintree.refresh(client)
  check(folds() == 'n- c d e f z-', 'a row that is new is as it would be at first: ' .. folds())

  -- The first answer may be that chains are being found.
  local pending = answer({})
  pending.pending = true
  answer_to = function() return nil, pending end
  vim.cmd('wincmd p')
  show()
  check(folds() == '', folds())
  answer_to = function() return nil, tree_answer() end
  chaintree.refresh(client)
  check(folds() == 'n- c- z-', 'a large page is closed with its first rows: ' .. folds())
  lap('what a reader opened stays')
end

-- Where no run has recorded chains, the page names the plug-in's own command.
local function not_run()
  local before = answer({ row('a') })
  before.ran, before.notes = false, { 'A note.' }
  answer_to = function() return nil, before end
  show()
  local line = 'No run has recorded yet which chains tests take: the command :Catchlens run-call-chains does.'
  check(vim.fn.getline(2) == line and vim.fn.getline(3) == 'A note.', text())
  before.ran = true
  chaintree.refresh(client)
  check(vim.fn.getline(2) == 'A note.', text())
  before.ran, before.pending = false, true
  chaintree.refresh(client)
  check(vim.fn.getline(2) == 'A note.', text())
  lap('the command that records chains')
end

local function main()
  vim.fn.mkdir(folder, 'p')
  local lines = { 'class X {', '    void m() {', '        m();', '    }', '}' }
  for _, f in ipairs({ file, called }) do vim.fn.writefile(lines, f) end
  vim.cmd('edit ' .. file)
  options()
  vim.cmd('edit ' .. file)
  failures()
  vim.cmd('edit ' .. file)
  refreshes()
  vim.cmd('edit ' .. file)
  not_run()
end

steps.run(main)
