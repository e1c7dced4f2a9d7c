-- Call chains in Neovim without a screen, as session.lua: hover of a method and of a call, before and
-- after a run, the page of all of them, and the calls of methods in both directions.
local steps = dofile(debug.getinfo(1, 'S').source:match('^@(.*)[/\\]') .. '/steps.lua')
local lap, wait, check, float = steps.lap, steps.wait, steps.check, steps.float

-- Puts the cursor onto a word in the line of a text.
local function go_to(text, word)
  check(vim.fn.search('\\V' .. text, 'cw') > 0, text)
  vim.fn.cursor(vim.fn.line('.'), vim.api.nvim_get_current_line():find(word, 1, true))
end

-- The hover at a word, once it has a text.
local function hover(text, word, pattern)
  go_to(text, word)
  return wait(pattern, function()
    local w = float()
    if w then vim.api.nvim_win_close(w, true) end
    vim.lsp.buf.hover()
    vim.wait(2000, float)
    local _, shown = float()
    return shown and shown:find(pattern) and shown
  end, 300)
end

local function client() return require('catchlens').clients()[1] end

local function ask(method, params)
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 30000) or {}) do
    if answer.result then return answer.result end
  end
  return {}
end

-- The rows below the method at a word: down one after the other, each the first that looks so.
local function follow(file, text, word, direction, rows)
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.fn.fnamemodify(vim.env.CATCHLENS_FILE, ':h') .. '/' .. file))
  local item = wait('the method ' .. word, function()
    go_to(text, word)
    local at = { line = vim.fn.line('.') - 1, character = vim.fn.col('.') - 1 }
    local params = { textDocument = vim.lsp.util.make_text_document_params(), position = at }
    return client() and ask('textDocument/prepareCallHierarchy', params)[1]
  end)
  for _, row in ipairs(rows) do
    local names, next_item = {}, nil
    for _, call in ipairs(ask('callHierarchy/' .. direction .. 'Calls', { item = item })) do
      local one = call.from or call.to
      table.insert(names, one.name .. ' · ' .. one.detail)
      if not next_item and one.name:find(row) then next_item = one end
    end
    item = check(next_item, ('%s is not %s of %s: %s'):format(row, direction, item.name, table.concat(names, ' | ')))
    lap(('%s: %s'):format(direction, table.concat(names, ' | ')))
  end
end

-- The number of the first line of the page of folds that is seen and matches; nil where none does.
local function seen(pattern)
  for n = 1, vim.fn.line('$') do
    if vim.fn.foldclosed(n) == -1 or vim.fn.foldclosed(n) == n then
      if vim.fn.getline(n):find(pattern) then return n end
    end
  end
end

-- The page of folds: what it has, what is chosen of it, what folds and where a row leads to.
local function tree(buf)
  go_to('new GZIPInputStream(', 'new')
  vim.cmd('Catchlens call-chain-tree')
  local title = 'Call chains to FileStore.decompress in filedrop: %d+ of %d+ tested'
  wait('the tree', function() return vim.fn.getline(1):find(title) end)
  local row = '^ +[✓○]%D+ FileStore.decompress%(String, Index.Entry%)  line %d+ · '
  local text = table.concat(vim.fn.getline(1, '$'), '\n')
  lap(text)
  local at = check(seen(row), text)
  check(vim.fn.foldlevel(at) > 0, 'the row is in a fold')
  vim.cmd('normal! zM')
  check(not seen(row) and seen('^[✓○]'), 'all folds are closed')
  vim.cmd('normal zR')
  check(seen(row), 'all folds are open')
  vim.fn.cursor(seen(row), 1)
  vim.cmd([[execute "normal \<CR>"]])
  local line = vim.api.nvim_get_current_line()
  check(line:find('decompress(', 1, true), 'a row opens its call: ' .. line)
  vim.cmd('wincmd p')
  vim.cmd('normal u')
  wait('the untested chains', function()
    return vim.fn.getline(2):find('^Shown: only untested: %d+$') and not seen('✓.*decompress')
  end)
  vim.cmd('normal uu')
  wait('all chains', function() return not vim.fn.getline(2):find('^Shown') end)
  local all = vim.fn.line('$')
  vim.cmd('normal -')
  wait('shorter chains', function() return vim.fn.getline(2):find('^Shown: at most 3 calls: %d+$') end)
  vim.cmd('normal +')
  wait('all chains', function() return vim.fn.line('$') == all end)
  vim.ui.input = function(_, done) done('nothing is named so') end
  vim.cmd('normal f')
  wait('no chain', function() return vim.fn.getline(2):find('^Shown: with "nothing is named so": 0$') end)
  vim.ui.input = function(_, done) done('') end
  vim.cmd('normal f')
  wait('all chains', function() return vim.fn.line('$') == all end)
  vim.cmd('normal q')
  vim.cmd('only | buffer ' .. buf)
  lap('the tree of ' .. all .. ' lines')
end

local function main()
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.CATCHLENS_FILE))
  local buf = vim.api.nvim_get_current_buf()
  wait('the server', function() return require('catchlens').status():match('catches') end)
  local before = hover('private byte[] decompress(', 'decompress',
    'Call chains to FileStore%.decompress in filedrop: %d+, not known which are tested')
  check(before:find('lambda in FileStore%.readFile'), before)
  lap(before)

  vim.cmd('Catchlens run-call-chains')
  local after = hover('private byte[] decompress(', 'decompress', 'in filedrop: %d+ of %d+ tested')
  check(after:find('tested by `?%w+Test#%w+') and not after:find('lambda%$') and not after:find('<init>'), after)
  lap(after)
  lap(hover('entry = index.get(name)', 'get(', 'Call chains through this call of Index%.get in filedrop'))
  vim.api.nvim_win_close(float(), true)

  go_to('new GZIPInputStream(', 'new')
  vim.cmd('Catchlens call-chains')
  wait('the page', function() return vim.api.nvim_buf_get_name(0):match('call%-chains%.md$') end)
  local title = vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]
  check(title:find('Call chains to FileStore.decompress', 1, true), 'the page has a title')
  check(not vim.bo.modifiable, 'the page is not to be edited')
  check(vim.fn.search('\\V[`lambda in FileStore.readFile:', 'cw') > 0, 'a frame in a lambda expression')
  vim.cmd([[execute "normal \<CR>"]])
  local there = vim.api.nvim_get_current_buf() == buf and vim.api.nvim_get_current_line()
  check(there and there:find('retry.call', 1, true), 'a frame opens its call')
  vim.cmd('only | buffer ' .. buf)
  lap('the page; a frame opens its call')

  tree(buf)

  follow('FileStore.java', 'private byte[] decompress(', 'decompress', 'incoming',
    { '^lambda in FileStore%.readFile:%d+$', '^Retry%.call', '^FileStore%.readFile' })
  follow('Retry.java', ' call(', 'call', 'outgoing',
    { '^lambda in FileStore%.readFile:%d+$', '^FileStore%.decompress' })
  follow('DropServer.java', 'private void accept(', 'accept', 'incoming', { '^Thread%.run%(%)$' })
  steps.stop_servers()
end

steps.run(main)
