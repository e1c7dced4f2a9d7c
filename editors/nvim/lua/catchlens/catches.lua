-- All catches: in a quickfix list, the worst first, and as signs beside the code.
local marks = require('catchlens.marks')

local M = {}

local api = vim.api
local drawn = marks.new(api.nvim_create_namespace('catchlens_signs'))
local method = 'catchlens/catches'

-- The sign of each kind and its highlight group: shapes that differ, so that they can be told
-- without the colour. A kind without a sign has not been run, or cannot be.
M.signs = {
  depends = { '▲', 'CatchlensDepends' },
  unpredicted = { '◆', 'CatchlensDepends' },
  untested = { '○', 'CatchlensUntested' },
  faults = { '○', 'CatchlensUntested' },
  unknown = { '?', 'CatchlensUntested' },
  copes = { '✓', 'CatchlensCopes' },
  accepted = { '·', 'CatchlensAccepted' },
}

local highlights = {
  CatchlensDepends = { 'DiagnosticSignWarn', 'DiagnosticWarn' }, CatchlensUntested = { 'DiagnosticSignInfo', 'DiagnosticInfo' },
  CatchlensCopes = { 'DiagnosticSignOk', 'DiagnosticSignHint' }, CatchlensAccepted = { 'Comment' },
}

--- Defines the highlight groups of signs, unless the user has; each is that of a diagnostic.
function M.define_highlights() marks.highlight(highlights) end

-- The column (1-based, in bytes) of a position in a line of text.
local function column(client, line, character)
  if not line or client.offset_encoding == 'utf-8' then return character + 1 end
  local ok, byte
  if vim.fn.has('nvim-0.11') == 1 then
    ok, byte = pcall(vim.str_byteindex, line, 'utf-16', character, false)
  else
    ok, byte = pcall(vim.str_byteindex, line, character, true)
  end
  return (ok and byte or character) + 1
end

-- A function that returns a line (1-based) of a file as it is in the editor, nil if there is none.
local function reader()
  local read = {}
  return function(file, number)
    local bufnr = vim.fn.bufnr(file)
    if bufnr ~= -1 and api.nvim_buf_is_loaded(bufnr) then return api.nvim_buf_get_lines(bufnr, number - 1, number, false)[1] end
    if not read[file] then
      local ok, lines = pcall(vim.fn.readfile, file)
      read[file] = ok and lines or {}
    end
    return read[file][number]
  end
end

-- The entries of the quickfix list.
local function entries(client, catches)
  local line_of, out = reader(), {}
  for i, c in ipairs(catches) do
    local file, lnum = vim.uri_to_fname(c.uri), c.range.start.line + 1
    local text = ('%s · catch (%s) in %s'):format(c.title, table.concat(c.exceptions, ' | '), c.method)
    out[i] = { filename = file, lnum = lnum, col = column(client, line_of(file, lnum), c.range.start.character),
      text = text .. (c.running and ' · running…' or ''), type = c.look and 'W' or 'I' }
  end
  return out
end

local listed -- id of the quickfix list

--- Fills a quickfix list with all catches and opens it; the same one when it is called again.
--- tell shows a message.
function M.list(client, tell)
  marks.request(client, method, nil, function(err, answer)
    if err then return tell(err.message, 'ERROR') end
    if not answer.analysed then return tell('the first analysis is not done yet') end
    if #answer.catches == 0 then return tell('no catch was found in the Java sources of this workspace') end
    local look = #vim.tbl_filter(function(c) return c.look end, answer.catches)
    local what = { title = ('catchlens: %d catches, %d to look at'):format(#answer.catches, look), items = entries(client, answer.catches) }
    local known = listed and vim.fn.getqflist({ id = listed, idx = 0 })
    if known and known.id == listed then
      what.id, what.idx = listed, math.min(known.idx, #answer.catches)
      vim.fn.setqflist({}, 'r', what)
      local now, at = vim.fn.getqflist({ id = 0, nr = 0 }).nr, vim.fn.getqflist({ id = listed, nr = 0 }).nr
      if at ~= now then vim.cmd(('silent %d%s'):format(math.abs(at - now), at < now and 'colder' or 'cnewer')) end
    else
      vim.fn.setqflist({}, ' ', what)
      listed = vim.fn.getqflist({ id = 0 }).id
    end
    vim.cmd('botright copen')
  end, api.nvim_get_current_buf())
end

-- Signs -------------------------------------------------------------------

--- What is known of failures, by client: how many there are, and how many a test made happen.
M.failures = {}

-- The text of a catch's sign: a stale one is marked.
local function sign_text(c)
  local text = M.signs[c.kind][1]
  -- A sign has two cells, which is one character where 'ambiwidth' is "double".
  return c.stale and vim.fn.strdisplaywidth(text) == 1 and text .. '~' or text
end

-- The marks of a buffer, by row.
local function signs_of(bufnr, catches)
  local wanted, last = {}, api.nvim_buf_line_count(bufnr) - 1
  for i = #catches, 1, -1 do -- of two in a line the worse is shown, which comes first
    local c, row = catches[i], catches[i].range.start.line
    if M.signs[c.kind] and row <= last then
      -- Below diagnostics, whose priority is 10: an error of a compiler is more urgent.
      local text = sign_text(c)
      wanted[row] = { text = text, mark = { sign_text = text, sign_hl_group = M.signs[c.kind][2], priority = 9 } }
    end
  end
  return wanted
end

-- The signs of a buffer, text by 0-based line: for the test, as 0.7 does not tell those of marks.
M._signs = drawn.texts

-- Counts the failures of a list for the status line.
local function count(client, answer)
  local now, before = { tested = 0, all = 0 }, M.failures[client.id]
  for _, c in ipairs(answer.catches) do now.tested, now.all = now.tested + c.tested, now.all + c.failures end
  M.failures[client.id] = #answer.catches > 0 and now or nil
  if not vim.deep_equal(before, M.failures[client.id]) then vim.cmd('redrawstatus!') end
end

--- Has failures counted anew and, where signs is true, the signs of a buffer shown anew.
function M.refresh(bufnr, client, signs)
  local file = api.nvim_buf_is_loaded(bufnr) and api.nvim_buf_get_name(bufnr)
  -- Asked on behalf of this buffer: its edits are sent before.
  drawn.ask(bufnr, client, method, nil, function(err, answer, current)
    if err or not answer or not answer.analysed then return end
    count(client, answer)
    if not signs or not current then return end
    local own = vim.tbl_filter(function(c) return c.version and vim.uri_to_fname(c.uri) == file end, answer.catches)
    drawn.draw(bufnr, client.id, signs_of(bufnr, own))
  end)
end

--- Refreshes every buffer of a client; one is enough to count.
function M.refresh_all(client, signs)
  for _, bufnr in ipairs(marks.buffers(client)) do
    M.refresh(bufnr, client, signs)
    if not signs then return end
  end
end

--- Takes the signs of a client that has ended away.
function M.detach(client_id)
  M.failures[client_id] = nil
  drawn.detach(client_id)
end

return M
