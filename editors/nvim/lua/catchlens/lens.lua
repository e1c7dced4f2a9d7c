-- Lenses. Neovim 0.12 shows them by itself, as lines above the code. Earlier ones
-- put them at the end of the line, beside diagnostics, take them away while a line
-- is edited, and drop a refresh that comes while one is under way; so there they
-- are asked for and drawn here, as 0.12 does.
local M = {}

local api = vim.api
local builtin = vim.fn.has('nvim-0.12') == 1
local namespace = api.nvim_create_namespace('catchlens')

local asking = {} -- "client:buffer" -> true while a request is under way, 'again' if another is due
local shown = {} -- buffer -> mark id -> text

-- request works before and after the client's functions became methods (0.11).
local function request(client, method, params, handler, bufnr)
  if vim.fn.has('nvim-0.11') == 1 then return client:request(method, params, handler, bufnr) end
  return client.request(method, params, handler, bufnr)
end
M.request = request

-- The lenses of each line, as one text for comparison and as chunks to draw.
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
      out[row] = { chunks = chunks, text = text }
    end
  end
  return out
end

-- Draws what differs from what is shown, so that nothing else moves or blinks.
local function draw(lenses, bufnr)
  local wanted, have = lines_of(lenses, bufnr), shown[bufnr] or {}
  for _, mark in ipairs(api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {})) do
    local id, row = mark[1], mark[2]
    if wanted[row] and wanted[row].text == have[id] then
      wanted[row] = nil
    else
      api.nvim_buf_del_extmark(bufnr, namespace, id)
      have[id] = nil
    end
  end
  for row, line in pairs(wanted) do
    local id = api.nvim_buf_set_extmark(bufnr, namespace, row, 0, { virt_lines = { line.chunks }, virt_lines_above = true })
    have[id] = line.text
  end
  shown[bufnr] = have
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
  if not api.nvim_buf_is_loaded(bufnr) then return end
  local key = client.id .. ':' .. bufnr
  if asking[key] then
    asking[key] = 'again'
    return
  end
  asking[key] = true
  local tick = api.nvim_buf_get_changedtick(bufnr)
  local sent = request(client, 'textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }, function(err, lenses)
    local again = asking[key] == 'again'
    asking[key] = nil
    if not api.nvim_buf_is_loaded(bufnr) then return end
    if again then M.refresh(bufnr, client) end
    -- An answer for an older text would stand in wrong lines; a newer request follows.
    if err or not lenses or api.nvim_buf_get_changedtick(bufnr) ~= tick then return end
    draw(lenses, bufnr)
    vim.lsp.codelens.save(lenses, bufnr, client.id) -- for vim.lsp.codelens.run()
  end, bufnr)
  if not sent then asking[key] = nil end
end

--- Refreshes every buffer of a client.
function M.refresh_all(client)
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(bufnr) and vim.lsp.buf_is_attached(bufnr, client.id) then M.refresh(bufnr, client) end
  end
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
  for key in pairs(asking) do
    if vim.startswith(key, client_id .. ':') then asking[key] = nil end
  end
  for bufnr in pairs(shown) do
    if api.nvim_buf_is_valid(bufnr) then
      api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
      pcall(api.nvim_del_augroup_by_name, 'catchlens_lens_' .. bufnr)
    end
    shown[bufnr] = nil
  end
end

--- Calls f with the lens that carries a command, stands at the cursor's line or
--- above it, and is nearest; with nil if there is none.
function M.at_cursor(client, command, f)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  request(client, 'textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(0) } }, function(_, lenses)
    local best
    for _, lens in ipairs(lenses or {}) do
      local here = lens.range.start.line
      if lens.command and lens.command.command == command and here <= row and (not best or here >= best.range.start.line) then best = lens end
    end
    f(best)
  end, api.nvim_get_current_buf())
end

return M
