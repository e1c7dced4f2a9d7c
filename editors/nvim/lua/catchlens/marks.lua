-- What lenses, signs of catches and coverage have in common: marks in buffers, of which only those
-- that differ are drawn anew, and one request at a time for each buffer.
local M = {}

local api = vim.api

--- Asks a server: works before and after the client's functions became methods (0.11).
function M.request(client, method, params, handler, bufnr)
  if vim.fn.has('nvim-0.11') == 1 then return client:request(method, params, handler, bufnr) end
  return client.request(method, params, handler, bufnr)
end

--- The buffers of a client that are loaded.
function M.buffers(client)
  return vim.tbl_filter(function(b) return api.nvim_buf_is_loaded(b) and vim.lsp.buf_is_attached(b, client.id) end, api.nvim_list_bufs())
end

--- Defines highlight groups, unless the user has: by name, the group that each is like, and the one
--- where that is not there.
function M.highlight(groups)
  for name, links in pairs(groups) do
    local to = links[1]
    if vim.fn.hlexists(to) == 0 and links[2] then to = links[2] end
    vim.cmd(('highlight default link %s %s'):format(name, to))
  end
end

--- The marks of one kind, and the requests for them.
function M.new(namespace)
  local self = {}
  local asking = {} -- "client:buffer" -> true while a request is under way, 'again' if another is due
  local shown = {} -- buffer -> mark id -> text
  local drawer = {} -- buffer -> id of the client whose answer is drawn

  --- Asks about a buffer, unless an answer is awaited: then once more after that, but for what is
  --- to be asked now. take gets the error, the answer, and whether the buffer still has the text
  --- that was asked about: an answer for an older one would stand in wrong lines, and a newer
  --- request follows.
  function self.ask(bufnr, client, method, params, take, now)
    if not api.nvim_buf_is_loaded(bufnr) then return end
    local key = client.id .. ':' .. bufnr
    if asking[key] and not now then
      asking[key] = 'again'
      return
    end
    asking[key] = true
    local tick = api.nvim_buf_get_changedtick(bufnr)
    local sent = M.request(client, method, params, function(err, answer)
      local again, loaded = asking[key] == 'again', api.nvim_buf_is_loaded(bufnr)
      asking[key] = nil
      if again then self.ask(bufnr, client, method, params, take) end
      take(err, answer, loaded and api.nvim_buf_get_changedtick(bufnr) == tick)
    end, bufnr)
    if not sent then asking[key] = nil end
  end

  --- Draws marks in a buffer, by row a text that tells whether one has changed, and the mark;
  --- what is the same stays as it is, so that nothing else moves or blinks.
  function self.draw(bufnr, client_id, wanted)
    local have, kept = shown[bufnr] or {}, {}
    for _, mark in ipairs(api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {})) do
      local id, row = mark[1], mark[2]
      if wanted[row] and wanted[row].text == have[id] and not kept[row] then
        kept[row] = true
      else
        api.nvim_buf_del_extmark(bufnr, namespace, id)
        have[id] = nil
      end
    end
    for row, w in pairs(wanted) do
      if not kept[row] then have[api.nvim_buf_set_extmark(bufnr, namespace, row, 0, w.mark)] = w.text end
    end
    shown[bufnr], drawer[bufnr] = have, client_id
  end

  --- What is drawn in a buffer: texts by 0-based line.
  function self.texts(bufnr)
    local out = {}
    for _, mark in ipairs(api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {})) do
      out[mark[2]] = shown[bufnr][mark[1]]
    end
    return out
  end

  --- Takes away what is drawn, of one client or of all; gone is called with each buffer.
  function self.clear(client_id, gone)
    for bufnr in pairs(shown) do
      if not client_id or drawer[bufnr] == client_id then
        if api.nvim_buf_is_valid(bufnr) then api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1) end
        if gone then gone(bufnr) end
        shown[bufnr], drawer[bufnr] = nil, nil
      end
    end
  end

  --- Forgets a client that has ended, with what is drawn of it.
  function self.detach(client_id, gone)
    for key in pairs(asking) do
      if vim.startswith(key, client_id .. ':') then asking[key] = nil end
    end
    self.clear(client_id, gone)
  end

  return self
end

return M
