-- Call chains as a page of folds: those to a method, or all of a component. What is chosen of them,
-- by words, by what tests take, by how many calls, is asked of the server.
local marks = require('catchlens.marks')
local page = require('catchlens.page')

local M = {}

local api = vim.api
local method = 'catchlens/callChains'

-- The sign of each state: shapes that differ, so that they can be told without the colour.
local signs = { tested = '✓', untested = '○', ['not-recorded'] = '?', unknown = '·' }
local highlights = {
  tested = 'CatchlensCopes', untested = 'CatchlensUntested', ['not-recorded'] = 'CatchlensUntested',
  unknown = 'CatchlensAccepted',
}
local ended = 'the server of these call chains has ended: ask for them again'
local colours = api.nvim_create_namespace('catchlens_chaintree')

-- Pages with no more rows than fit a screen are open at first.
local open_rows = 40

local keys = '<CR> call · gd method · zo zc za fold · zR all · zM none · f filter · u tested? · + - calls · q close'

-- The page: buf, client, tell, target, choice, answer; source: the buffer that it was asked from; rows:
-- what stands in its lines; fetched: the paths below which a reader asked for rows; question: the number
-- of the last request for the whole tree; folds_set: the folds of this choice are as they begin.
local tree
local coming -- the page that is asked for, until its first answer

-- What is chosen, in words.
local function chosen(choice)
  local parts = {}
  if choice.only ~= 'all' then parts[#parts + 1] = 'only ' .. choice.only end
  if choice.calls then
    parts[#parts + 1] = ('at most %d call%s'):format(choice.calls, choice.calls == 1 and '' or 's')
  end
  if choice.filter ~= '' then parts[#parts + 1] = ('with "%s"'):format(choice.filter) end
  return table.concat(parts, ', ')
end

-- The lines of an answer, and what stands in those of rows: the row, its depth, the keys above it.
local function render(answer, choice)
  local lines, rows = { answer.title }, {}
  local what = chosen(choice)
  if what ~= '' then lines[#lines + 1] = ('Shown: %s: %d'):format(what, answer.all) end
  if not answer.ran and not answer.pending then
    lines[#lines + 1] = 'No run has recorded yet which chains tests take: the command :Catchlens run-call-chains does.'
  end
  vim.list_extend(lines, answer.notes)
  vim.list_extend(lines, { keys, '' })
  local function add(list, depth, above)
    for _, row in ipairs(list) do
      local path = vim.list_extend(vim.list_extend({}, above), { row.key })
      local detail = row.detail ~= '' and '  ' .. row.detail or ''
      lines[#lines + 1] = ('%s%s %s%s'):format(('  '):rep(depth), signs[row.state], row.name, detail)
      rows[#lines] = { row = row, depth = depth, path = path, fold = #row.rows > 0 or row.left }
      add(row.rows, depth + 1, path)
      if row.left then
        lines[#lines + 1] = ('  '):rep(depth + 1) .. '… <CR> shows what is below'
        rows[#lines] = { more = row, depth = depth + 1, path = path }
      end
    end
  end
  add(answer.rows, 0, {})
  for i, line in ipairs(lines) do lines[i] = line:gsub('[\r\n]', ' ') end
  return lines, rows
end

--- The fold level of a line of the page.
function M.fold(lnum)
  local at = tree and api.nvim_get_current_buf() == tree.buf and tree.rows[lnum]
  if not at then return 0 end
  return at.fold and '>' .. (at.depth + 1) or at.depth
end

--- The text of a closed fold.
function M.foldtext() return vim.fn.getline(vim.v.foldstart) .. '  [+]' end

local function window() return tree and vim.fn.bufwinid(tree.buf) or -1 end

local function path_key(path) return table.concat(path, '\n') end

-- Which rows of the page in this window are closed: by their paths, true or false. It opens what is
-- closed, as what is in there is not seen before.
local function closed_rows()
  local closed = {}
  for lnum = 1, api.nvim_buf_line_count(0) do
    local at = tree.rows[lnum]
    if at and at.fold then
      local is = vim.fn.foldclosed(lnum) ~= -1
      closed[path_key(at.path)] = is
      if is then vim.cmd(lnum .. 'foldopen') end
    end
  end
  return closed
end

-- Closes the rows of the page in this window that were closed, and new ones as the fold level says.
local function close_rows(closed)
  vim.cmd('normal! zX')
  vim.cmd('silent! %foldopen!')
  for lnum = api.nvim_buf_line_count(0), 1, -1 do -- what is in a row before the row
    local at = tree.rows[lnum]
    if at and at.fold then
      local is = closed[path_key(at.path)]
      if is == nil then is = at.depth >= vim.wo.foldlevel end
      if is then vim.cmd(lnum .. 'foldclose') end
    end
  end
end

-- Writes the lines of the page.
local function write(lines, rows)
  local b = tree.buf
  vim.bo[b].modifiable = true
  api.nvim_buf_set_lines(b, 0, -1, false, lines)
  vim.bo[b].modifiable = false
  api.nvim_buf_clear_namespace(b, colours, 0, -1)
  api.nvim_buf_set_extmark(b, colours, 0, 0, { end_col = #lines[1], hl_group = 'Title' })
  for lnum, at in pairs(rows) do
    if at.row then
      local from = 2 * at.depth
      local sign_end = from + #signs[at.row.state]
      local name_end = sign_end + 1 + #at.row.name
      local function colour(first, last, group)
        api.nvim_buf_set_extmark(b, colours, lnum - 1, first, { end_col = last, hl_group = group })
      end
      colour(from, sign_end, highlights[at.row.state])
      colour(name_end, #lines[lnum], 'Comment')
    end
  end
end

-- Draws the page: what is folded stays, but the first answer with rows is open if it is small.
local function draw()
  local lines, rows = render(tree.answer, tree.choice)
  local same = vim.deep_equal(api.nvim_buf_get_lines(tree.buf, 0, -1, false), lines)
  local function change()
    tree.rows = rows
    if not same then write(lines, rows) end
  end
  local win = window()
  if win == -1 then return change() end
  api.nvim_win_call(win, function()
    if tree.folds_set then
      local closed = not same and closed_rows()
      change()
      if closed then close_rows(closed) end
      return
    end
    change()
    tree.folds_set = not tree.answer.pending
    page.set_options(0, { foldlevel = vim.tbl_count(rows) <= open_rows and 99 or 0 })
    vim.cmd('normal! zX')
  end)
end

-- The parameters of a request for what is chosen of a page.
local function params(this, below)
  local c, p = this.choice, vim.deepcopy(this.target)
  p.only, p.calls, p.below = c.only ~= 'all' and c.only or nil, c.calls, below
  if c.filter ~= '' then p.filter = c.filter end
  return p
end

-- The row of an answer that a path leads to.
local function row_at(answer, path)
  local row = answer
  for _, key in ipairs(path) do
    local below = row.rows
    row = nil
    for _, r in ipairs(below) do
      if r.key == key then row = r end
    end
    if not row then return nil end
  end
  return row
end

-- Asks for what a reader has fetched below rows of the answer before, one after the other; done is
-- called once it is there.
local function fetch_again(this, answer, current, done)
  local function from(i)
    local path = this.fetched[i]
    if not path then return done() end
    local row = row_at(answer, path)
    if not row or not row.left then return from(i + 1) end
    local sent = marks.request(this.client, method, params(this, path), function(err, below)
      if not current() then return end
      if not err then row.rows, row.left = below.rows, false end
      from(i + 1)
    end, this.source)
    if not sent then done() end
  end
  from(1)
end

-- Asks for the tree of a page; done is called once it is there, failed where it does not come.
local function ask(this, done, failed)
  this.question = (this.question or 0) + 1
  local question = this.question
  local function current() return (this == tree or this == coming) and question == this.question end
  local function fail(why, level)
    if failed then failed() end
    this.tell(why, level)
  end
  local sent = marks.request(this.client, method, params(this), function(err, answer)
    if not current() then return end
    if err then return fail(err.message, 'ERROR') end
    -- A line may belong to another method after an edit, a name does not.
    if answer.class ~= '' then
      this.target = { class = answer.class, method = answer.method, whole = answer.method == '' }
    end
    fetch_again(this, answer, current, function()
      this.answer = answer
      done()
    end)
  end, this.source)
  if not sent then fail(ended, 'WARN') end
end

-- Opens a place in the window before.
local function go(place)
  if not place then return tree.tell('there is no source of this', 'WARN') end
  page.open(vim.uri_to_fname(place.uri), place.line + 1)
end

-- Asks for the rows that were left out below a row, and draws them.
local function fetch_below(at)
  local this = tree
  table.insert(this.fetched, at.path)
  local sent = marks.request(this.client, method, params(this, at.path), function(err, answer)
    if tree ~= this then return end
    if err then return this.tell(err.message, 'ERROR') end
    at.more.rows, at.more.left = answer.rows, false
    draw()
  end, this.source)
  if not sent then this.tell(ended, 'WARN') end
end

-- Shows something else of the tree; where that fails, what is shown stays as it is.
local function choose(what)
  local this, before, fetched = tree, tree.choice, tree.fetched
  this.choice, this.fetched = vim.tbl_extend('force', before, what), {}
  if this.choice.calls == false then this.choice.calls = nil end
  ask(this, function()
    this.folds_set = false
    draw()
  end, function() this.choice, this.fetched = before, fetched end)
end

-- One call more, or less.
local function deeper(by)
  local most = tree.answer.length
  local calls = math.max(0, (tree.choice.calls or most) + by)
  choose({ calls = calls < most and calls })
end

local next_state = { all = 'untested', untested = 'tested', tested = 'all' }

local function set_maps(buf)
  local function map(lhs, what, f)
    vim.keymap.set('n', lhs, f, { buffer = buf, nowait = true, desc = 'catchlens: ' .. what })
  end
  -- What a key does that asks the server.
  local function asking(f)
    return function()
      if tree.answer then f() else tree.tell(ended, 'WARN') end
    end
  end
  local function here() return tree.rows[api.nvim_win_get_cursor(0)[1]] end
  map('<CR>', 'open this call', function()
    local at = here()
    if at and at.more then return fetch_below(at) end
    if at then go(at.row.call or at.row.method) end
  end)
  map('gd', 'open this method', function()
    local at = here()
    if at and at.row then go(at.row.method) end
  end)
  map('f', 'filter by words', asking(function()
    vim.ui.input({ prompt = 'Words of methods or tests: ', default = tree.choice.filter }, function(text)
      if text then choose({ filter = vim.trim(text) }) end
    end)
  end))
  map('u', 'all, untested, tested', asking(function() choose({ only = next_state[tree.choice.only] }) end))
  map('+', 'one call more', asking(function() deeper(1) end))
  map('-', 'one call less', asking(function() deeper(-1) end))
  page.map_close(buf)
end

-- Opens the window of the page.
local function open()
  local win = window()
  if win ~= -1 then return api.nvim_set_current_win(win) end
  vim.cmd('belowright split')
  api.nvim_win_set_buf(0, tree.buf)
  page.set_options(0, {
    wrap = false, foldmethod = 'expr', foldenable = true, foldminlines = 0, fillchars = 'fold: ',
    foldexpr = "v:lua.require'catchlens.chaintree'.fold(v:lnum)",
    foldtext = "v:lua.require'catchlens.chaintree'.foldtext()",
  })
end

--- Shows the chains to the method at the cursor, or with whole all of its component. Until they are
--- there, the page before stays.
function M.show(client, tell, whole)
  local line = api.nvim_win_get_cursor(0)[1] - 1
  local this = {
    client = client, tell = tell, source = api.nvim_get_current_buf(),
    target = { textDocument = { uri = vim.uri_from_bufnr(0) }, line = line, whole = whole or false },
    choice = { only = 'all', filter = '' }, rows = {}, fetched = {},
  }
  coming = this
  ask(this, function()
    this.buf = tree and api.nvim_buf_is_valid(tree.buf) and tree.buf or api.nvim_create_buf(false, true)
    tree, coming = this, nil
    vim.bo[tree.buf].modifiable, vim.bo[tree.buf].bufhidden = false, 'hide'
    set_maps(tree.buf)
    open()
    draw()
    local lines = api.nvim_buf_line_count(tree.buf)
    api.nvim_win_set_cursor(0, { math.min(lines, lines - vim.tbl_count(tree.rows) + 1), 0 })
  end, function() coming = nil end)
end

--- Shows the page anew if it is seen: there may be other chains now.
function M.refresh(client)
  if tree and tree.client.id == client.id and tree.answer and window() ~= -1 then ask(tree, draw) end
end

--- Forgets a client that has ended.
function M.detach(client_id)
  if tree and tree.client.id == client_id then tree.answer = nil end
end

return M
