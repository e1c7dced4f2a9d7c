-- Lenses. Neovim 0.12 shows them by itself, as lines above the code. Earlier ones
-- put them at the end of the line, beside diagnostics, take them away while a line
-- is edited, and drop a refresh that comes while one is under way; so there they
-- are asked for and drawn here, as 0.12 does.
local marks = require('catchlens.marks')

local M = {}

local api = vim.api
local builtin = vim.fn.has('nvim-0.12') == 1
local drawn = marks.new(api.nvim_create_namespace('catchlens'))

-- The lenses of each line, as one text for comparison and as a mark above it.
local function lines_of(lenses, bufnr)
  local by_row = {}
  for _, lens in ipairs(lenses) do
    local row = lens.range.start.line
    by_row[row] = by_row[row] or {}
    table.insert(by_row[row], lens)
  end
  local out, last = {}, api.nvim_buf_line_count(bufnr) - 1
  for row, list in pairs(by_row) do
    if row <= last then
      local indent = api.nvim_buf_call(bufnr, function() return vim.fn.indent(row + 1) end)
      local chunks, text = { { (' '):rep(indent), 'LspCodeLensSeparator' } }, indent .. ''
      for i, lens in ipairs(list) do
        if i > 1 then table.insert(chunks, { ' | ', 'LspCodeLensSeparator' }) end
        table.insert(chunks, { lens.command.title, 'LspCodeLens' })
        text = text .. '|' .. lens.command.title
      end
      out[row] = { text = text, mark = { virt_lines = { chunks }, virt_lines_above = true } }
    end
  end
  return out
end

-- Whoever has Neovim show lenses (a set-up for another server) would show ours a
-- second time, at the end of the line.
local function show_here_only()
  local display = vim.lsp.codelens.display
  vim.lsp.codelens.display = function(lenses, bufnr, client_id)
    local client = vim.lsp.get_client_by_id(client_id)
    if not (client and client.name == 'catchlens') then return display(lenses, bufnr, client_id) end
  end
end

--- Has the lenses of a buffer shown, or shown anew.
function M.refresh(bufnr, client)
  if builtin then return end
  drawn.ask(bufnr, client, 'textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }, function(err, lenses, current)
    if err or not lenses or not current then return end
    drawn.draw(bufnr, client.id, lines_of(lenses, bufnr))
    vim.lsp.codelens.save(lenses, bufnr, client.id) -- for vim.lsp.codelens.run()
  end)
end

--- Refreshes every buffer of a client.
function M.refresh_all(client)
  for _, bufnr in ipairs(marks.buffers(client)) do M.refresh(bufnr, client) end
end

--- Starts showing the lenses of a buffer.
function M.attach(bufnr, client)
  if builtin then return vim.lsp.codelens.enable(true, { bufnr = bufnr }) end
  if show_here_only then
    show_here_only()
    show_here_only = nil
  end
  api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged', 'BufWritePost' }, {
    group = api.nvim_create_augroup('catchlens_lens_' .. bufnr, { clear = true }), buffer = bufnr,
    callback = function()
      local c = vim.lsp.get_client_by_id(client.id)
      if c then M.refresh(bufnr, c) end
    end,
  })
  M.refresh(bufnr, client)
end

--- Takes the lenses of a client that has ended away.
function M.detach(client_id)
  if builtin then return end
  drawn.detach(client_id, function(bufnr) pcall(api.nvim_del_augroup_by_name, 'catchlens_lens_' .. bufnr) end)
end

--- Calls f with the lens that carries a command, stands at the cursor's line or
--- above it, and is nearest; with nil if there is none.
function M.at_cursor(client, command, f)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  marks.request(client, 'textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(0) } }, function(_, lenses)
    local best
    for _, lens in ipairs(lenses or {}) do
      local here = lens.range.start.line
      if lens.command and lens.command.command == command and here <= row and (not best or here >= best.range.start.line) then best = lens end
    end
    f(best)
  end, api.nvim_get_current_buf())
end

return M
