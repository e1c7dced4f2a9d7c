-- catchlens for Neovim (0.7 and later): starts the server for Java buffers, keeps
-- lenses fresh, and adds :Catchlens. Everything else is in the server.
local M = {}

local uv = vim.uv or vim.loop
local minor = vim.version().major > 0 and 99 or vim.version().minor

---@class catchlens.Config
M.defaults = {
  cmd = { 'catchlens', 'lsp' },
  -- Files and folders that mark the root of a workspace. The outermost Maven or
  -- Gradle project wins, so that the modules of one build share a server.
  root_markers = { 'catchlens.toml', 'settings.gradle', 'settings.gradle.kts', 'pom.xml', 'build.gradle', 'build.gradle.kts', '.classpath', '.git' },
  settings = {}, -- see |catchlens-settings|
  lens = true, -- show lenses, and refresh them as results come in
  keymaps = true, -- buffer-local maps, see |catchlens-maps|
  autostart = true, -- start for every Java buffer
}

M.config = vim.deepcopy(M.defaults)

local clients = {} -- root -> client id
local statuses = {} -- client id -> what the server last said

local function active_clients()
  return (vim.lsp.get_clients or vim.lsp.get_active_clients)()
end

local function get_client(bufnr)
  for _, c in ipairs(active_clients()) do
    if c.name == 'catchlens' and vim.lsp.buf_is_attached(bufnr or 0, c.id) then return c end
  end
end

-- request works before and after the client's functions became methods (0.11).
local function request(client, method, params, handler, bufnr)
  if minor >= 11 then return client:request(method, params, handler, bufnr) end
  return client.request(method, params, handler, bufnr)
end

local function parent(path)
  local p = path:match('^(.*)[/\\][^/\\]+$')
  if p == '' then p = '/' end
  return p ~= path and p or nil
end

--- The workspace of a file: the outermost folder that holds a build file, else
--- the innermost that holds any marker, else the file's own folder.
function M.root(file)
  local build, other
  local dir = parent(file)
  while dir do
    for i, marker in ipairs(M.config.root_markers) do
      if uv.fs_stat(dir .. '/' .. marker) then
        if marker == 'catchlens.toml' then return dir end
        if marker:find('gradle') or marker == 'pom.xml' then build = dir else other = other or dir end
        if marker == '.git' then return build or dir end
        break
      end
    end
    local up = parent(dir)
    if not up or up == dir then break end
    dir = up
  end
  return build or other or parent(file)
end

-- Lenses ------------------------------------------------------------------

local function show_lenses(bufnr)
  if not M.config.lens or not vim.api.nvim_buf_is_loaded(bufnr) then return end
  if minor >= 12 then
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
  elseif minor >= 10 then
    vim.lsp.codelens.refresh({ bufnr = bufnr })
  else
    vim.api.nvim_buf_call(bufnr, vim.lsp.codelens.refresh)
  end
end

local function refresh_all(client_id)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.lsp.buf_is_attached(bufnr, client_id) then show_lenses(bufnr) end
  end
end

-- Commands of the server --------------------------------------------------

local function open_written(result)
  if not (result and result.uri) then return end
  local path = vim.uri_to_fname(result.uri)
  if path:match('%.html$') then
    if vim.ui.open then vim.ui.open(path) else vim.notify('catchlens: report written to ' .. path) end
  else
    vim.cmd('split ' .. vim.fn.fnameescape(path))
    vim.bo.readonly, vim.bo.bufhidden = true, 'wipe'
  end
end

local function execute(command, args, client)
  client = client or get_client()
  if not client then
    return vim.notify('catchlens: no server for this buffer; see :checkhealth catchlens', vim.log.levels.WARN)
  end
  request(client, 'workspace/executeCommand', { command = command, arguments = args or {} }, function(err, result)
    if err then return vim.notify('catchlens: ' .. err.message, vim.log.levels.ERROR) end
    if command == 'catchlens.showChains' or command == 'catchlens.report' then open_written(result) end
  end)
end

-- What a lens or a code action does on this side before the server is asked.
local client_commands = {
  ['catchlens.judgeInfeasible'] = function(cmd, ctx)
    local args = cmd.arguments or {}
    local client = vim.lsp.get_client_by_id(ctx.client_id)
    if #args > 1 then return execute(cmd.command, args, client) end
    vim.ui.input({ prompt = 'Why can this exception not arrive here? ' }, function(reason)
      if reason and reason ~= '' then execute(cmd.command, { args[1], reason }, client) end
    end)
  end,
}
for _, name in ipairs({ 'runCatch', 'runAll', 'showChains', 'reload', 'report' }) do
  client_commands['catchlens.' .. name] = function(cmd, ctx)
    execute(cmd.command, cmd.arguments, vim.lsp.get_client_by_id(ctx.client_id))
  end
end

-- The catch at or before the cursor's line, from the lens that stands there.
local function lens_at_cursor(command)
  local row, best = vim.api.nvim_win_get_cursor(0)[1] - 1, nil
  local client = get_client()
  if not client then return end
  local params = { textDocument = { uri = vim.uri_from_bufnr(0) } }
  local res = vim.lsp.buf_request_sync(0, 'textDocument/codeLens', params, 2000)
  for _, lens in ipairs((res and res[client.id] or {}).result or {}) do
    if lens.command and lens.command.command == command and lens.range.start.line <= row then
      if not best or lens.range.start.line >= best.range.start.line then best = lens end
    end
  end
  return best and best.command
end

local subcommands = {
  run = function()
    local c = lens_at_cursor('catchlens.runCatch')
    if not c then return vim.notify('catchlens: no catch at or above the cursor', vim.log.levels.WARN) end
    execute(c.command, c.arguments)
  end,
  ['run-all'] = function() execute('catchlens.runAll') end,
  ['run-again'] = function() execute('catchlens.runAll', { 'again' }) end,
  stop = function() execute('catchlens.cancel') end,
  chains = function()
    local c = lens_at_cursor('catchlens.showChains')
    if not c then return vim.notify('catchlens: no catch at or above the cursor', vim.log.levels.WARN) end
    execute(c.command, c.arguments)
  end,
  report = function() execute('catchlens.report') end,
  reload = function() execute('catchlens.reload') end,
  status = function() print(M.status() ~= '' and M.status() or 'catchlens: no server for this buffer') end,
  start = function() M.start(vim.api.nvim_get_current_buf()) end,
}

--- Runs a subcommand of :Catchlens.
function M.command(name)
  local f = subcommands[name]
  if not f then return vim.notify('catchlens: no subcommand ' .. tostring(name), vim.log.levels.ERROR) end
  f()
end

--- Names of subcommands that start with a prefix.
function M.complete(prefix)
  local out = {}
  for name in pairs(subcommands) do
    if name:sub(1, #prefix) == prefix then table.insert(out, name) end
  end
  table.sort(out)
  return out
end

--- One line for a status line; empty without a server.
function M.status()
  local client = get_client()
  local s = client and statuses[client.id]
  if not s then return '' end
  if s.activity and s.activity ~= '' then return 'catchlens: ' .. s.activity end
  return ('catchlens: %d catches, %d links'):format(s.catches, s.links)
end

-- Starting ----------------------------------------------------------------

local function on_attach(client, bufnr)
  show_lenses(bufnr)
  local group = vim.api.nvim_create_augroup('catchlens_' .. bufnr, { clear = true })
  if minor < 12 then
    vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged', 'BufWritePost' }, {
      group = group, buffer = bufnr, callback = function() show_lenses(bufnr) end,
    })
  end
  if M.config.keymaps then
    local map = function(lhs, name, desc)
      vim.keymap.set('n', lhs, function() M.command(name) end, { buffer = bufnr, desc = desc })
    end
    map('<localleader>cr', 'run', 'catchlens: run this catch')
    map('<localleader>ca', 'run-all', 'catchlens: run all catches')
    map('<localleader>cc', 'chains', 'catchlens: show chains')
    map('<localleader>cs', 'stop', 'catchlens: stop')
  end
end

--- Starts the server for a Java buffer, or attaches the one of its workspace.
function M.start(bufnr)
  local file = vim.api.nvim_buf_get_name(bufnr)
  if file == '' or vim.bo[bufnr].buftype ~= '' then return end
  if vim.fn.executable(M.config.cmd[1]) == 0 then
    return vim.notify_once('catchlens: ' .. M.config.cmd[1] .. ' was not found; see :checkhealth catchlens', vim.log.levels.WARN)
  end
  local root = M.root(file)
  if clients[root] and vim.lsp.get_client_by_id(clients[root]) then
    vim.lsp.buf_attach_client(bufnr, clients[root])
    return clients[root]
  end
  local id = vim.lsp.start_client and minor < 8 and vim.lsp.start_client or nil
  local config = {
    name = 'catchlens', cmd = M.config.cmd, root_dir = root,
    workspace_folders = { { name = root, uri = vim.uri_from_fname(root) } },
    init_options = M.config.settings, commands = client_commands, on_attach = on_attach,
    handlers = {
      ['catchlens/status'] = function(_, result, ctx) statuses[ctx.client_id] = result end,
      ['workspace/codeLens/refresh'] = function(_, _, ctx)
        vim.schedule(function() refresh_all(ctx.client_id) end)
        return vim.NIL
      end,
    },
    on_exit = function(_, _, client_id)
      statuses[client_id] = nil
      for r, c in pairs(clients) do if c == client_id then clients[r] = nil end end
    end,
  }
  local caps = vim.lsp.protocol.make_client_capabilities()
  caps.workspace = caps.workspace or {}
  caps.workspace.codeLens = { refreshSupport = true }
  config.capabilities = caps
  if id then
    clients[root] = id(config)
    vim.lsp.buf_attach_client(bufnr, clients[root])
  else
    clients[root] = vim.lsp.start(config, { bufnr = bufnr })
  end
  return clients[root]
end

--- Changes the defaults. Calling it is optional.
---@param config catchlens.Config|nil
function M.setup(config)
  M.config = vim.tbl_deep_extend('force', vim.deepcopy(M.defaults), config or {})
end

return M
