-- What tests cover: signs beside the lines of a buffer, with what is missing behind them, and the
-- tests of a line.
local marks = require('catchlens.marks')

local M = {}

local api = vim.api
local drawn = marks.new(api.nvim_create_namespace('catchlens_coverage'))
local method = 'catchlens/coverage'

-- The sign of each state and its highlight group: shapes that differ, as for catches. Stale lines
-- have none: nobody knows whether they are covered as they are now.
M.signs = {
  covered = { '+', 'CatchlensCovered' },
  partly = { '~', 'CatchlensPartly' },
  missed = { '-', 'CatchlensMissed' },
}

M.shown = false -- whether coverage is shown

local highlights = {
  CatchlensCovered = { 'DiagnosticSignOk', 'DiagnosticSignHint' }, CatchlensPartly = { 'DiagnosticSignWarn', 'DiagnosticWarn' },
  CatchlensMissed = { 'DiagnosticSignError', 'DiagnosticError' }, CatchlensCoverageText = { 'Comment' },
}

local function count(n, what) return ('%d %s%s'):format(n, what, n == 1 and '' or 's') end

-- What is missing of a line, in words; empty where nothing is.
local function missing(line)
  local parts = {}
  if (line.left or 0) > 0 then parts[1] = 'left in the middle in ' .. count(line.left, 'test') end
  if line.state == 'partly' then
    for _, branch in ipairs(line.branches or {}) do
      for _, way in ipairs(branch.ways) do
        if not way.taken then parts[#parts + 1] = way.label .. ' never taken' end
      end
    end
  end
  return table.concat(parts, ', ')
end

-- The marks of a buffer, by row.
local function marks_of(bufnr, lines)
  local wanted, last = {}, api.nvim_buf_line_count(bufnr) - 1
  for _, l in ipairs(lines) do
    if M.signs[l.state] and l.line <= last then
      local sign, text = M.signs[l.state], missing(l)
      -- Below the signs of catches, whose priority is 9.
      local mark = { sign_text = sign[1], sign_hl_group = sign[2], priority = 8 }
      if text ~= '' then mark.virt_text = { { '  ' .. text, 'CatchlensCoverageText' } } end
      wanted[l.line] = { text = l.state .. '\n' .. text, mark = mark }
    end
  end
  return wanted
end

-- What is shown in a buffer, sign and text by 0-based line: for the test.
function M._shown(bufnr)
  return vim.tbl_map(function(text)
    local state, what = text:match('^(%l+)\n(.*)$')
    return vim.trim(M.signs[state][1] .. ' ' .. what)
  end, drawn.texts(bufnr))
end

-- Has the coverage of a buffer shown, or shown anew; answered is called with the answer.
local function refresh(bufnr, client, answered)
  if not M.shown then return end
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  drawn.ask(bufnr, client, method, params, function(err, answer, current)
    if answered and answer then answered(answer) end
    if err or not answer or not M.shown or not current then return end
    -- Of what is not known any more, as behind another JDK, nothing stays.
    drawn.draw(bufnr, client.id, marks_of(bufnr, answer.known and answer.lines or {}))
  end, answered ~= nil)
end

--- Refreshes every buffer of a client, if coverage is shown.
function M.refresh_all(client)
  for _, bufnr in ipairs(marks.buffers(client)) do refresh(bufnr, client) end
end

--- Refreshes one buffer that the client has come to.
function M.attach(bufnr, client) refresh(bufnr, client) end

--- Shows coverage in all buffers of a client, or takes it away. tell shows a message.
function M.toggle(client, tell)
  M.shown = not M.shown
  if not M.shown then return drawn.clear() end
  marks.highlight(highlights)
  M.refresh_all(client)
  local said = false
  refresh(api.nvim_get_current_buf(), client, function(answer)
    if answer.known or said then return end
    said = true
    tell('no coverage is known yet; :Catchlens cover runs the tests')
  end)
end

--- Fills a quickfix list with the tests that come to the line of the cursor. tell shows a message.
function M.tests(client, tell)
  local bufnr, row = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1] - 1
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) }, line = row }
  marks.request(client, method, params, function(err, answer)
    if err then return tell(err.message, 'ERROR') end
    if not answer.known then return tell('no coverage is known yet; :Catchlens cover runs the tests') end
    local found = vim.tbl_filter(function(l) return l.line == row end, answer.lines)[1]
    if not found then return tell('no code is known on this line') end
    if #answer.tests == 0 then return tell('no test comes to this line') end
    local stale = {}
    for _, t in ipairs(answer.tests) do stale[t.test] = t.stale end
    marks.request(client, 'catchlens/tests', nil, function(failed, all)
      if failed then return tell(failed.message, 'ERROR') end
      local items = {}
      for _, t in ipairs(all.tests) do
        if stale[t.test] ~= nil and t.uri then
          items[#items + 1] = { filename = vim.uri_to_fname(t.uri), lnum = t.line + 1, text = t.test .. (stale[t.test] and ' · stale' or '') }
        end
      end
      local name = vim.fn.fnamemodify(api.nvim_buf_get_name(bufnr), ':t')
      vim.fn.setqflist({}, ' ', { title = ('catchlens: %s of %s:%d'):format(count(#answer.tests, 'test'), name, row + 1), items = items })
      vim.cmd('botright copen')
    end, bufnr)
  end, bufnr)
end

--- Takes what is shown of a client that has ended away.
M.detach = drawn.detach

return M
