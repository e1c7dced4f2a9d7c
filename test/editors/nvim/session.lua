-- The main path in Neovim without a screen:
--   nvim --headless -u nvim/init.lua -c 'luafile nvim/session.lua'
-- Says on standard output how far it is; ends with 1 and the reason if a step fails.
local steps = dofile(debug.getinfo(1, 'S').source:match('^@(.*)[/\\]') .. '/steps.lua')
local uv = vim.uv or vim.loop

local lap, wait, check, float, told = steps.lap, steps.wait, steps.check, steps.float, steps.told

local shown = {} -- what the status line said, one after the other
vim.api.nvim_create_autocmd('User', { pattern = 'CatchlensStatus', callback = function() table.insert(shown, require('catchlens').status()) end })

-- Whether a pattern was in the list from its i-th entry on.
local function since(list, i, pattern)
  for k = i, #list do if list[k]:find(pattern) then return true end end
end

-- A run in one line.
local run = { tests = 68, passed = 60, failed = 2, flaky = 1, skipped = 5, injected = 1, known = 14, seconds = 12.34 }
local line = require('catchlens')._summary(run)
check(line == '68 tests (60 passed, 2 failed, 1 flaky, 5 skipped), 1 run with an injected exception, 14 known already, 12.3 s', line)
local finished = require('catchlens')._finished
check(finished(run, 200) == line, 'without an outcome the run alone is told')
run.outcome = '4 depend on the source; 1 new since yesterday: A.java:4'
check(finished(run, 200) == run.outcome .. ' (' .. line .. ')', finished(run, 200))
check(finished(run, 80) == run.outcome, finished(run, 80))
-- What does not fit in a line would have to be confirmed by a key.
run.outcome = '4 depend on the source, 22 cope, 7 no test gets to; 2 new since yesterday: A.java:85, B.java:73'
for cells, want in pairs({
  [110] = run.outcome,
  [90] = '4 depend on the source, 22 cope, 7 no test gets to; 2 new since yesterday',
  [70] = '4 depend on the source, 22 cope, …; 2 new since yesterday',
  [68] = '4 depend on the source, 22 cope, …; 2 new since yesterday',
  [60] = '4 depend on the source, …; 2 new since yesterday',
  [40] = '4 depend on the source, …',
  [30] = '68 tests (60 passe…',
}) do
  check(finished(run, cells) == want, ('%d cells: %s'):format(cells, finished(run, cells)))
end
-- Of a run of one catch that one is told.
run.verdict = 'B.java:73 fails if it comes earlier, as in BTest#b; 3 of 13 failures tested'
check(finished(run, 200) == run.verdict .. ' (' .. line .. ')', finished(run, 200))
check(finished(run, 90) == run.verdict, finished(run, 90))
run.outcome, run.verdict = nil, nil
check(finished(run, 30) == '68 tests (60 passe…', finished(run, 30))

-- What somebody has stopped has not failed.
do
  local notify, said, level = vim.notify, nil, nil
  vim.notify = function(text, l) said, level = text, l end
  require('catchlens')._ended('catchlens.runAll', { code = -32800, message = 'cancelled' })
  check(said == 'catchlens: stopped; what was done is kept' and level ~= vim.log.levels.ERROR, said)
  require('catchlens')._ended('catchlens.runAll', { code = -32603, message = 'no class path' })
  check(said == 'catchlens: no class path' and level == vim.log.levels.ERROR, said)
  vim.notify = notify
end

-- Who judges is asked why, about what, and told where the answer is kept; who takes that back is asked nothing.
do
  local input, client, prompts, sent = vim.ui.input, vim.lsp.get_client_by_id, {}, {}
  vim.ui.input = function(how, answer) table.insert(prompts, how.prompt) answer('checked before') end
  local fake = { request = function(self, method, params)
    if self == 'workspace/executeCommand' then params = method end -- before 0.11
    table.insert(sent, params.arguments)
  end }
  vim.lsp.get_client_by_id = function() return fake end
  local judge = require('catchlens')._client_commands['catchlens.judgeInfeasible']
  judge({ command = 'catchlens.judgeInfeasible', arguments = { 'l1', 'judged in the editor', 'IOException from Files.open:7' } }, {})
  judge({ command = 'catchlens.judgeInfeasible', arguments = { 'l1', '' } }, {})
  vim.ui.input, vim.lsp.get_client_by_id = input, client
  check(vim.deep_equal(prompts, { 'Why can IOException from Files.open:7 not arrive here? (kept in catchlens.toml) ' }), vim.inspect(prompts))
  check(vim.deep_equal(sent, { { 'l1', 'checked before' }, { 'l1', '' } }), vim.inspect(sent))
end

-- The lenses as Neovim keeps them: title of the first by 0-based line.
local function titles(buf)
  local out = {}
  for _, l in ipairs(vim.fn.has('nvim-0.12') == 1 and vim.lsp.codelens.get({ bufnr = buf }) or vim.lsp.codelens.get(buf)) do
    local lens = l.lens or l
    out[lens.range.start.line] = out[lens.range.start.line] or lens.command.title
  end
  return out
end

-- The lenses as they are drawn: lines above, by 0-based line.
local function drawn(buf)
  local out = {}
  for name, ns in pairs(vim.api.nvim_get_namespaces()) do
    if name == 'catchlens' then
      for _, m in ipairs(vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
        local text = ''
        for _, chunk in ipairs((m[4].virt_lines or { {} })[1]) do text = text .. chunk[1] end
        check(m[4].virt_lines_above, 'lenses are drawn above')
        out[m[2]] = text
      end
    end
  end
  return out
end

local function warning(buf)
  for _, d in ipairs(vim.diagnostic.get(buf)) do
    if d.code == 'source-dependent-catch' or ((d.user_data or {}).lsp or {}).code == 'source-dependent-catch' then return d end
  end
end

-- Follows the first link of another class in this buffer; returns what opened.
local function follow()
  check(vim.fn.search('\\v\\[`(Checksum|Limited)InputStream\\.\\w+:\\d+`', 'cW') > 0, 'a frame of another file')
  local class, line = vim.api.nvim_get_current_line():sub(vim.fn.col('.')):match('^%[`(%w+)%.%w+:(%d+)`')
  vim.cmd([[execute "normal \<CR>"]])
  check(vim.api.nvim_buf_get_name(0):match('/' .. class .. '%.java$'), 'the link opens ' .. class .. '.java, not ' .. vim.api.nvim_buf_get_name(0))
  check(vim.api.nvim_win_get_cursor(0)[1] == tonumber(line), ('the link leads to line %s, not %d'):format(line, vim.api.nvim_win_get_cursor(0)[1]))
  return class
end

-- Follows the first link to a call of the try in this buffer, which is in the source itself.
local function follow_call(buf)
  check(vim.fn.search('\\v\\[`line \\d+`', 'cW') > 0, 'a call of the try')
  local line = vim.api.nvim_get_current_line():sub(vim.fn.col('.')):match('^%[`line (%d+)`')
  vim.cmd([[execute "normal \<CR>"]])
  check(vim.api.nvim_get_current_buf() == buf, 'the link opens the source, not ' .. vim.api.nvim_buf_get_name(0))
  check(vim.api.nvim_win_get_cursor(0)[1] == tonumber(line), ('the link leads to line %s, not %d'):format(line, vim.api.nvim_win_get_cursor(0)[1]))
  return 'line ' .. line
end

local function idle() return require('catchlens').status():match('catches') end

local function hover(buf, row, col)
  vim.api.nvim_win_set_cursor(0, { row + 1, col })
  vim.lsp.buf.hover()
  local _, text = wait('the hover', float), select(2, float())
  check(text:find('Not tested: ', 1, true), 'the hover lists failures: ' .. text)
  vim.lsp.buf.hover() -- enters it
  wait('the hover to be entered', function() return vim.api.nvim_win_get_config(0).relative ~= '' end)
  local call = follow_call(buf)
  check(not float(), 'the hover is closed')
  lap('hover; its link opens ' .. call)
end

local function run(buf, row)
  vim.api.nvim_win_set_cursor(0, { row + 1, 0 })
  local first, now = #told + 1, #shown + 1
  vim.cmd('Catchlens run')
  wait('word that it runs', function() return since(told, first, 'running this catch') end)
  wait('activity in the status line', function() return since(shown, now, '^catchlens: %a') end)
  wait('how the catch stands', function() return since(told, first, '^catchlens: %w+%.java:%d+ fails if it comes earlier') end, 400)
  local d = wait('the warning', function() return warning(buf) end)
  check(d.lnum == row and d.severity == vim.diagnostic.severity.WARN, vim.inspect(d))
  check(d.message:find('%u%w+Test#%l%w+'), 'the warning names the failing test: ' .. d.message)
  local title = wait('the changed lens, its links refined', function() local t = titles(buf)[row]; return t and t:find('fails if it comes earlier$') and t end)
  vim.cmd('Catchlens explain')
  wait('the page on the warning', function() return vim.api.nvim_buf_get_name(0):match('diagnostics%.md$') and vim.api.nvim_get_current_line() == '## source-dependent-catch' end)
  vim.cmd('only | buffer ' .. buf)
  lap('run: ' .. title)
  return title
end

-- The signs of a buffer: text by 0-based line.
local function signs(buf)
  if vim.fn.has('nvim-0.10') == 0 then return require('catchlens.catches')._signs(buf) end
  local out = {}
  local ns = vim.api.nvim_get_namespaces()['catchlens_signs']
  for _, m in ipairs(ns and vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true }) or {}) do
    if m[4].sign_text then out[m[2]] = vim.trim(m[4].sign_text) end
  end
  return out
end

local function edit(buf, row, title)
  vim.api.nvim_win_set_cursor(0, { row - 9, 0 })
  vim.cmd('normal! O// the line above')
  wait('the lens to move down', function() return titles(buf)[row + 1] == title and not (titles(buf)[row] or ''):find('earlier') end)
  wait('the warning to move down', function() local d = warning(buf); return d and d.lnum == row + 1 end)
  lap('an edit above moves lens and warning')
  vim.api.nvim_win_set_cursor(0, { row, 0 }) -- inside the try
  vim.cmd('normal! Olist();')
  wait('the lens to turn stale', function() local t = titles(buf)[row + 2]; return t and t:find('stale$') end)
  for line, t in pairs(titles(buf)) do check(line == row + 2 or not t:find('stale'), 'only the edited try is stale, not line ' .. line .. ': ' .. t) end
  wait('the sign to be marked stale', function() return signs(buf)[row + 2] == '▲~' end)
  vim.cmd('delete | doautocmd <nomodeline> TextChanged') -- which does not come by itself within a script
  wait('the lens to be as before', function() return titles(buf)[row + 1] == title end)
  lap('an edit inside the try marks that catch, taking it back makes it current')
  local now = #shown + 1
  vim.cmd('silent write')
  vim.wait(5000, function() return since(shown, now, '^catchlens: %a') end) -- what it does may be over before it is told
  wait('the server to be idle', idle)
  wait('the same lens after saving', function() return titles(buf)[row + 1] == title end)
  lap('saving keeps the results')
end

local function chains(buf, row)
  vim.api.nvim_win_set_cursor(0, { row + 1, 0 })
  vim.cmd('Catchlens chains')
  wait('the page', function() return vim.api.nvim_buf_get_name(0):match('chains%.md$') end)
  check(vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]:find('catch (IOException)', 1, true) or vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]:find('IOException', 1, true), 'the page has a title')
  check(not vim.bo.modifiable, 'the page is not to be edited')
  vim.cmd('normal! gg')
  local class = follow()
  vim.cmd('only | buffer ' .. buf)
  lap('chains; a frame opens ' .. class)
end

local function matrix(buf, row)
  vim.api.nvim_win_set_cursor(0, { row + 1, 0 })
  vim.cmd('Catchlens matrix')
  wait('the matrix', function() return vim.api.nvim_buf_get_name(0):match('matrix%.md$') end)
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  check(text:find('| test | in the baseline |', 1, true), 'the matrix is a table')
  check(not vim.bo.modifiable, 'the matrix is not to be edited')
  vim.cmd('only | buffer ' .. buf)
  lap('the matrix of the catch')
end

-- The list of all catches: the one that has run is first, and leads to its place.
local function list(buf, row, title)
  wait('the sign of the catch', function() return signs(buf)[row] == '▲' end)
  vim.cmd('Catchlens list')
  local qf = wait('the list', function() local q = vim.fn.getqflist({ title = 0, items = 0, id = 0 }); return q.title:find('catchlens: ', 1, true) == 1 and q end)
  check(vim.bo.filetype == 'qf', 'the list is open')
  check(qf.title == ('catchlens: %d catches, 1 to look at'):format(#qf.items) and #qf.items > 40, qf.title)
  local first = qf.items[1]
  check(first.text:find(title .. ' · catch (IOException) in FileStore.write', 1, true) == 1, first.text)
  check(first.lnum == row + 1 and first.type == 'W' and first.bufnr == buf, vim.inspect(first))
  for i, item in ipairs(qf.items) do
    local line = item.bufnr == buf and vim.api.nvim_buf_get_lines(buf, item.lnum - 1, item.lnum, false)[1]
    check(not line or line:sub(item.col, item.col + 4) == 'catch', 'entry ' .. i .. ' leads to its catch: ' .. vim.inspect(item))
  end
  vim.cmd('cc 1')
  check(vim.api.nvim_get_current_buf() == buf and vim.api.nvim_win_get_cursor(0)[1] == row + 1, 'an entry opens its catch')
  vim.cmd('Catchlens list')
  vim.wait(500)
  check(vim.fn.getqflist({ id = 0 }).id == qf.id and vim.fn.getqflist({ nr = '$' }).nr == 1, 'asked for again, the list is the same one')
  vim.cmd('cclose | only | buffer ' .. buf)
  lap('list: ' .. qf.title .. '; ' .. first.text)
end

-- Runs a catch that may take every Exception, and has it changed.
local function stretch(buf)
  local row = vim.fn.search('catch (CacheMissException e)', 'cw') - 1
  check(row >= 0, 'the catch of the cache')
  vim.cmd('Catchlens cover') -- whether a catch may take more is asked where all tests have run
  wait('all tests', function() return not idle() end)
  wait('their end', idle, 400)
  vim.cmd('Catchlens run')
  wait('its verdict', function() local t = titles(buf)[row]; return t and t:find('perfect plan B', 1, true) end, 400)
  local client = require('catchlens').clients()[1]
  local at, action = { line = row, character = vim.fn.col('.') + 2 }, nil
  wait('the server to be idle', idle, 400) -- runs with the stretched catch follow the verdict
  wait('the action', function()
    local answers = vim.lsp.buf_request_sync(buf, 'textDocument/codeAction', {
      textDocument = vim.lsp.util.make_text_document_params(buf), range = { start = at, ['end'] = at }, context = { diagnostics = {} },
    }, 10000)
    for _, answer in pairs(answers or {}) do
      for _, a in ipairs(answer.result or {}) do
        if a.title == 'Catch any Exception here (verified)' then action = a end
      end
    end
    return action
  end)
  local asked = 0 -- however this version asks
  local function yes() asked = asked + 1; return 1 end
  vim.fn.inputlist, vim.fn.confirm = yes, yes
  vim.ui.select = function(items, _, choose) yes(); choose(items[1], 1) end
  (client.commands or client.config.commands)['catchlens.stretchCatch'](action.command, { client_id = client.id, bufnr = buf })
  wait('the changed catch', function() return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]:find('catch (Exception e)', 1, true) end)
  check(asked > 0, 'the user is asked')
  vim.cmd('undo')
  check(vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]:find('catch (CacheMissException e)', 1, true), 'undo takes it back')
  lap('code action: a verified catch takes Exception')
end

local function main()
  local file, row, col = vim.env.CATCHLENS_FILE, tonumber(vim.env.CATCHLENS_ROW), tonumber(vim.env.CATCHLENS_COLUMN)
  vim.cmd('edit ' .. vim.fn.fnameescape(file))
  local buf = vim.api.nvim_get_current_buf()
  check(vim.bo.filetype == 'java', 'the file is Java')
  local title = wait('lenses', function() local t = titles(buf)[row]; return t and (t:find('^%d+ failures, none tested$') or t:find('^1 failure, not tested$')) and t end)
  if vim.fn.has('nvim-0.12') == 0 then -- that one draws only what a screen shows
    local text = wait('a drawn lens', function() return drawn(buf)[row] end)
    check(text == (' '):rep(8) .. title .. ' | run', 'drawn: "' .. text .. '"')
  end
  wait('the status line', idle)
  lap('lens: ' .. title)
  hover(buf, row, col)
  check(next(signs(buf)) == nil, 'no signs before a run')
  local verdict = run(buf, row)
  wait('the server to be idle', idle, 400)
  list(buf, row, titles(buf)[row])
  edit(buf, row, verdict)
  wait('the sign to move with its catch', function() return signs(buf)[row + 1] == '▲' and not signs(buf)[row] end)
  chains(buf, row + 1)
  matrix(buf, row + 1)
  stretch(buf)

  -- Runs since the first may have seen other failures happen: some depend on time.
  local before = wait('the lens before the restart', function() return titles(buf)[row + 1] end):gsub(' · stale$', '')
  check(next(signs(buf)), 'signs before they are turned off')
  require('catchlens').setup(vim.tbl_extend('force', require('catchlens').config, { signs = false }))
  vim.cmd('Catchlens restart')
  wait('the first server to end', function() return not idle() end)
  local again = uv.hrtime()
  -- They may be marked stale: the saved text is newer than its class file, and a new server compiles nothing before it is asked.
  wait('the results of before', function() local t = titles(buf)[row + 1]; return t and t:find(before, 1, true) == 1 and idle() end)
  wait('failures in the status line', function() return require('catchlens').status():match('^catchlens: %d+ catches, [1-9]%d* of %d+ failures tested$') end)
  check(next(signs(buf)) == nil, 'signs = false leaves signs out, not the count of failures')
  lap(('restart: the results are there after %.1f s'):format((uv.hrtime() - again) / 1e9))
  vim.cmd('checkhealth catchlens')
  local health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  check(health:find('catchlens 0.', 1, true) and health:find('a server is running for', 1, true) and not health:find('ERROR'), health)
  lap('checkhealth')
  for _, t in ipairs(told) do check(not t:find('has ended with code'), t) end
  steps.stop_servers()
end

steps.run(main)
