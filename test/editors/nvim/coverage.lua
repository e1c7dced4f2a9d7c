-- Coverage in Neovim without a screen, as session.lua: signs, what is missing, the tests of a line.
local steps = dofile(debug.getinfo(1, 'S').source:match('^@(.*)[/\\]') .. '/steps.lua')
local lap, wait, check, told = steps.lap, steps.wait, steps.check, steps.told
local function said(pattern) return table.concat(told, '\n'):find(pattern) end

local function main()
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.CATCHLENS_FILE))
  local buf = vim.api.nvim_get_current_buf()
  local function shown() return require('catchlens.coverage')._shown(buf) end
  local function line_of(text)
    check(vim.fn.search('\\V' .. text, 'cw') > 0, text)
    return vim.fn.line('.') - 1
  end
  wait('the server', function() return require('catchlens').status():match('catches') end)
  vim.cmd('Catchlens coverage')
  wait('what to do', function() return said('no coverage is known yet; :Catchlens cover runs the tests') end)
  check(next(shown()) == nil, 'nothing is shown of what is not known')
  vim.cmd('Catchlens cover')
  wait('the summary', function() return said('%d+ tests %(%d+ passed%)') end, 400)
  local client = require('catchlens').clients()[1]
  wait('the signs to be what the server says', function()
    local answers = vim.lsp.buf_request_sync(buf, 'catchlens/coverage', { textDocument = { uri = vim.uri_from_bufnr(buf) } }, 10000)
    local lines, now = ((answers or {})[client.id] or {}).result.lines, shown()
    for _, l in ipairs(lines) do
      if (now[l.line] or ''):sub(1, 1) ~= require('catchlens.coverage').signs[l.state][1] then return false end
    end
    return #lines > 0
  end)
  local signs = { ['+'] = 0, ['~'] = 0, ['-'] = 0 }
  for _, s in pairs(shown()) do signs[s:sub(1, 1)] = signs[s:sub(1, 1)] + 1 end
  check(signs['+'] > 20 and signs['-'] > 0, vim.inspect(signs))
  lap(('%d lines covered, %d partly, %d missed'):format(signs['+'], signs['~'], signs['-']))

  local row = line_of('discard(part)')
  check(shown()[row], 'the line of the call has a sign')
  vim.cmd('Catchlens tests')
  local qf = wait('the tests', function() local q = vim.fn.getqflist({ title = 0, items = 0 }); return q.title:find('^catchlens: %d+ tests? of FileStore.java:') and q end)
  check(#qf.items > 0 and qf.items[1].text:find('Test#'), vim.inspect(qf.items[1]))
  check(vim.api.nvim_buf_get_name(qf.items[1].bufnr):find('Test%.java$') and qf.items[1].lnum > 1, 'an entry leads to its test')
  vim.cmd('cclose | buffer ' .. buf)
  lap('tests: ' .. qf.title)

  local before = shown()
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.cmd('normal! O// a line above')
  wait('the signs to move', function()
    local now = shown()
    for r, s in pairs(before) do if now[r + 1] ~= s then return false end end
    return true
  end)
  lap('a line above moves them')
  row = line_of('discard(part)')
  vim.cmd('normal! Olist();')
  wait('the signs of the edited method to go', function() return not shown()[row + 1] end)
  check(next(shown()), 'those of others stay')
  vim.cmd('delete | doautocmd <nomodeline> TextChanged')
  wait('the signs to be back', function() return shown()[row] end)
  lap('an edit of a method takes its signs, and no others')
  local coverage = require('catchlens.coverage')
  coverage.detach(client.id + 1)
  check(shown()[row], 'the end of another client takes no signs of this one')
  local known, marks = true, require('catchlens.marks')
  local request = marks.request
  marks.request = function(c, method, params, f, b)
    return request(c, method, params, function(err, answer)
      if not known and method == 'catchlens/coverage' then answer = { known = false, lines = {}, tests = {} } end
      f(err, answer)
    end, b)
  end
  known = false
  coverage.refresh_all(client)
  wait('the signs to go when nothing is known any more', function() return next(shown()) == nil end, 20)
  known = true
  coverage.refresh_all(client)
  wait('the signs to come back', function() return shown()[row] end, 20)
  marks.request = request
  lap('what is not known any more goes')
  vim.cmd('Catchlens coverage')
  check(next(shown()) == nil, 'they are taken away')
  steps.stop_servers()
end

steps.run(main)
