-- catchlens for Neovim (0.7 and later): starts the server for Java buffers, keeps
-- lenses fresh, and adds :Catchlens. Everything else is in the server.
local catches = require('catchlens.catches')
local chaintree = require('catchlens.chaintree')
local coverage = require('catchlens.coverage')
local lens = require('catchlens.lens')
local marks = require('catchlens.marks')
local page = require('catchlens.page')

local M = {}

local uv = vim.uv or vim.loop

---@class catchlens.Config
M.defaults = {
  cmd = { 'catchlens', 'lsp' },
  -- Files and folders that mark the root of a workspace. The outermost Maven or
  -- Gradle project wins, so that the modules of one build share a server.
  root_markers = { 'catchlens.toml', 'settings.gradle', 'settings.gradle.kts', 'pom.xml', 'build.gradle', 'build.gradle.kts', '.classpath', '.git' },
  settings = {}, -- see |catchlens-settings|
  lens = true, -- show lenses, and refresh them as results come in
  signs = true, -- show a sign for the verdict beside each catch
  keymaps = true, -- buffer-local maps, see |catchlens-maps|
  autostart = true, -- start for every Java buffer
}

M.config = vim.deepcopy(M.defaults)

local statuses = {} -- client id -> what the server last said

--- The running servers.
function M.clients()
  return vim.tbl_filter(function(c) return c.name == 'catchlens' end, (vim.lsp.get_clients or vim.lsp.get_active_clients)())
end

local function get_client(bufnr)
  for _, c in ipairs(M.clients()) do
    if vim.lsp.buf_is_attached(bufnr or vim.api.nvim_get_current_buf(), c.id) then return c end
  end
end

local function tell(text, level) vim.notify('catchlens: ' .. text, vim.log.levels[level or 'INFO']) end

local function parent(path)
  local p = path:match('^(.*)[/\\][^/\\]+$')
  if p == '' then p = '/' end
  return p ~= path and p or nil
end

--- The workspace of a file: the folder with a catchlens.toml, else the outermost
--- that holds a build file, else the innermost that holds any marker, else the
--- file's own folder. Nothing above a .git is looked at.
function M.root(file)
  local build, other
  local dir = parent(file)
  while dir do
    local has = {}
    for _, marker in ipairs(M.config.root_markers) do
      if uv.fs_stat(dir .. '/' .. marker) then
        local kind = marker == 'catchlens.toml' and 'own' or marker == '.git' and 'git'
          or (marker == 'pom.xml' or marker:find('%.gradle')) and 'build' or 'other'
        has[kind] = true
      end
    end
    if has.own then return dir end
    if has.build then build = dir end
    if has.other then other = other or dir end
    if has.git then return build or other or dir end
    dir = parent(dir)
  end
  return build or other or parent(file)
end

-- Commands of the server --------------------------------------------------

-- A finished run in one line.
local function summary(r)
  local outcomes = { ('%d passed'):format(r.passed) }
  for _, o in ipairs({ 'failed', 'flaky', 'skipped' }) do
    if (r[o] or 0) > 0 then outcomes[#outcomes + 1] = ('%d %s'):format(r[o], o) end
  end
  local function count(n, what) return ('%d %s%s'):format(n, what, n == 1 and '' or 's') end
  local known = r.known > 0 and (', %d known already'):format(r.known) or ''
  return ('%s (%s), %s with an injected exception%s, %.1f s'):format(count(r.tests, 'test'), table.concat(outcomes, ', '), count(r.injected, 'run'), known, r.seconds)
end
M._summary = summary -- for its test

-- What is told of a finished run: how its one catch stands, or all and what is new, then the run, of
-- that as much as fits in so many cells of one line. A longer message has to be confirmed by a key.
local function finished(r, cells)
  local counts, outcome = summary(r), r.verdict or r.outcome or ''
  local function fits(text) return vim.fn.strdisplaywidth('catchlens: ' .. text) <= cells end
  local stand, new = outcome:match('^(.-)(; .*)$')
  if not stand then stand, new = outcome, '' end
  local placeless = new:gsub(': .*', '')
  local texts = outcome == '' and {} or { ('%s (%s)'):format(outcome, counts), outcome, stand .. placeless }
  local fewer = stand:match('^(.*), ')
  while fewer do
    texts[#texts + 1] = fewer .. ', …' .. placeless
    fewer = fewer:match('^(.*), ')
  end
  for _, text in ipairs(vim.list_extend(texts, { stand, stand:match('^[^,]*') .. ', …', counts })) do
    if text ~= '' and text ~= ', …' and fits(text) then return text end
  end
  while counts ~= '' and not fits(counts .. '…') do counts = vim.fn.strcharpart(counts, 0, vim.fn.strchars(counts) - 1) end
  return counts .. '…'
end
M._finished = finished -- for its test

local runs = { ['catchlens.runCatch'] = 'running this catch', ['catchlens.runAll'] = 'running all catches', ['catchlens.cover'] = 'running tests' }

-- The protocol's RequestCancelled: somebody has stopped what was asked for.
local stopped = -32800

-- Tells how a command has ended: by an error, or with what it answers.
local function ended(command, err, result)
  if err and err.code == stopped then return tell('stopped; what was done is kept') end
  if err then return tell(err.message, 'ERROR') end
  if runs[command] and type(result) == 'table' then
    tell(finished(result, vim.v.echospace))
    for _, note in ipairs(result.notes) do tell(note, 'WARN') end
  end
end
M._ended = ended -- for its test

local function execute(command, args, client)
  client = client or get_client()
  if not client then return tell('no server for this buffer; see :checkhealth catchlens', 'WARN') end
  local answered = false
  if runs[command] then -- said when the server has not refused at once
    vim.defer_fn(function()
      if not answered then tell(runs[command] .. '; :Catchlens stop ends it') end
    end, 200)
  end
  marks.request(client, 'workspace/executeCommand', { command = command, arguments = args or {} }, function(err, result)
    answered = true
    ended(command, err, result)
  end, vim.api.nvim_get_current_buf())
end

-- What a lens or a code action does on this side before the server is asked.
local client_commands = {
  ['catchlens.judgeInfeasible'] = function(cmd, ctx)
    local args, client = cmd.arguments or {}, vim.lsp.get_client_by_id(ctx.client_id)
    if #args == 2 then return execute(cmd.command, args, client) end -- takes a judgement back
    local what = args[3] or 'this exception'
    vim.ui.input({ prompt = 'Why can ' .. what .. ' not arrive here? (kept in catchlens.toml) ' }, function(reason)
      if reason and vim.trim(reason) ~= '' then execute(cmd.command, { args[1], reason }, client) end
    end)
  end,
}
for _, name in ipairs({ 'runCatch', 'runAll', 'showChains', 'showMatrix', 'explain', 'reload', 'report', 'stretchCatch', 'writeTest', 'showCallChains', 'runCallChains' }) do
  client_commands['catchlens.' .. name] = function(cmd, ctx)
    execute(cmd.command, cmd.arguments, vim.lsp.get_client_by_id(ctx.client_id))
  end
end
M._client_commands = client_commands -- for its test

-- Executes the command that the nearest lens at or above the cursor carries.
local function at_cursor(command)
  local client = get_client()
  if not client then return tell('no server for this buffer; see :checkhealth catchlens', 'WARN') end
  lens.at_cursor(client, command, function(found)
    if not found then return tell('no catch at or above the cursor', 'WARN') end
    execute(found.command.command, found.command.arguments, client)
  end)
end

local function stop(client, force)
  if vim.fn.has('nvim-0.11') == 1 then client:stop(force) else client.stop(force) end
end

-- Ends the server of this buffer and starts it anew for all its buffers.
local function restart()
  local client = get_client()
  if not client then return M.start(vim.api.nvim_get_current_buf()) end
  local buffers = vim.tbl_filter(function(b) return vim.lsp.buf_is_attached(b, client.id) end, vim.api.nvim_list_bufs())
  stop(client)
  local tries = 0
  local function again()
    tries = tries + 1
    if vim.lsp.get_client_by_id(client.id) then
      if tries == 60 then stop(client, true) end -- after 3 s
      return vim.defer_fn(again, 50)
    end
    for _, b in ipairs(buffers) do
      if vim.api.nvim_buf_is_loaded(b) then M.start(b) end
    end
  end
  vim.defer_fn(again, 50)
end

-- What the documentation has on the first finding of the cursor's line; nil if there is none.
local function page_of_finding()
  for _, d in ipairs(vim.diagnostic.get(0, { lnum = vim.api.nvim_win_get_cursor(0)[1] - 1 })) do
    local code = d.code or ((d.user_data or {}).lsp or {}).code
    if d.source == 'catchlens' and code then return 'reference/diagnostics.md#' .. code end
  end
end

-- Shows call chains of the cursor's line as a page of folds.
local function chain_tree(whole)
  local client = get_client()
  if not client then return tell('no server for this buffer; see :checkhealth catchlens', 'WARN') end
  chaintree.show(client, tell, whole)
end

local subcommands = {
  run = function()
    execute('catchlens.runCatch', { vim.uri_from_bufnr(0), vim.api.nvim_win_get_cursor(0)[1] - 1 })
  end,
  ['run-all'] = function() execute('catchlens.runAll') end,
  ['run-again'] = function() execute('catchlens.runAll', { 'again' }) end,
  stop = function() execute('catchlens.cancel') end,
  pause = function() execute('catchlens.pause') end,
  resume = function() execute('catchlens.resume') end,
  chains = function() at_cursor('catchlens.showChains') end,
  ['call-chains'] = function()
    execute('catchlens.showCallChains', { vim.uri_from_bufnr(0), vim.api.nvim_win_get_cursor(0)[1] - 1 })
  end,
  ['call-chain-tree'] = function() chain_tree(false) end,
  ['component-chains'] = function() chain_tree(true) end,
  ['run-call-chains'] = function() execute('catchlens.runCallChains') end,
  explain = function() execute('catchlens.explain', { page_of_finding() }) end,
  matrix = function()
    execute('catchlens.showMatrix', { vim.uri_from_bufnr(0), vim.api.nvim_win_get_cursor(0)[1] - 1 })
  end,
  list = function()
    local client = get_client() or M.clients()[1]
    if not client then return tell('no server for this buffer; see :checkhealth catchlens', 'WARN') end
    catches.list(client, tell)
  end,
  cover = function() execute('catchlens.cover') end,
  coverage = function()
    local client = get_client()
    if not client then return tell('no server for this buffer; see :checkhealth catchlens', 'WARN') end
    coverage.toggle(client, tell)
  end,
  tests = function()
    local client = get_client()
    if not client then return tell('no server for this buffer; see :checkhealth catchlens', 'WARN') end
    coverage.tests(client, tell)
  end,
  report = function() execute('catchlens.report') end,
  reload = function() execute('catchlens.reload') end,
  status = function() print(M.status() ~= '' and M.status() or 'catchlens: no server for this buffer') end,
  start = function() M.start(vim.api.nvim_get_current_buf()) end,
  restart = restart,
}

--- Runs a subcommand of :Catchlens.
function M.command(name)
  local f = subcommands[name]
  if not f then return tell('no subcommand ' .. tostring(name) .. '; there are ' .. table.concat(M.complete(''), ', '), 'ERROR') end
  f()
end

--- Names of subcommands that start with a prefix.
function M.complete(prefix)
  local out = vim.tbl_filter(function(name) return vim.startswith(name, prefix) end, vim.tbl_keys(subcommands))
  table.sort(out)
  return out
end

--- One line for a status line; empty without a server.
function M.status()
  local client = get_client()
  local s = client and statuses[client.id]
  if not s then return '' end
  if s.activity ~= '' then return 'catchlens: ' .. s.activity end
  local f = catches.failures[client.id]
  local known = f and (', %d of %d failure%s tested'):format(f.tested, f.all, f.all == 1 and '' or 's') or ''
  return ('catchlens: %d catch%s%s'):format(s.catches, s.catches == 1 and '' or 'es', known)
end

-- Starting ----------------------------------------------------------------

local function set_maps(bufnr)
  local function map(lhs, name, desc)
    vim.keymap.set('n', lhs, function() M.command(name) end, { buffer = bufnr, desc = 'catchlens: ' .. desc })
  end
  map('<localleader>cr', 'run', 'run this catch')
  map('<localleader>ca', 'run-all', 'run all catches')
  map('<localleader>cc', 'chains', 'show chains')
  map('<localleader>cm', 'matrix', 'show the matrix')
  map('<localleader>cl', 'list', 'list all catches')
  map('<localleader>cs', 'stop', 'stop')
  -- Neovim itself maps K to the hover from 0.10 on.
  if vim.fn.has('nvim-0.10') == 0 and vim.fn.maparg('K', 'n') == '' then
    vim.keymap.set('n', 'K', vim.lsp.buf.hover, { buffer = bufnr, desc = 'hover' })
  end
end

local function on_attach(client, bufnr)
  if M.config.lens then lens.attach(bufnr, client) end
  if M.config.signs then catches.define_highlights() end
  catches.refresh(bufnr, client, M.config.signs)
  coverage.attach(bufnr, client)
  if (M.config.settings or {}).inlayHints and vim.fn.has('nvim-0.10') == 1 then vim.lsp.inlay_hint.enable(true, { bufnr = bufnr }) end
  if M.config.keymaps then set_maps(bufnr) end
end

local function handlers()
  local own = {
    ['catchlens/status'] = function(_, status, ctx)
      statuses[ctx.client_id] = status
      vim.schedule(function()
        vim.cmd('redrawstatus! | doautocmd <nomodeline> User CatchlensStatus')
      end)
    end,
    ['catchlens/catchesChanged'] = function(_, _, ctx)
      vim.schedule(function()
        local client = vim.lsp.get_client_by_id(ctx.client_id)
        if client then catches.refresh_all(client, M.config.signs) end
      end)
    end,
    ['catchlens/callChainsChanged'] = function(_, _, ctx)
      vim.schedule(function()
        local client = vim.lsp.get_client_by_id(ctx.client_id)
        if client then chaintree.refresh(client) end
      end)
    end,
    ['catchlens/coverageChanged'] = function(_, _, ctx)
      vim.schedule(function()
        local client = vim.lsp.get_client_by_id(ctx.client_id)
        if client then coverage.refresh_all(client) end
      end)
    end,
    ['window/showDocument'] = page.show,
  }
  if vim.fn.has('nvim-0.12') == 0 then
    own['workspace/codeLens/refresh'] = function(_, _, ctx)
      vim.schedule(function()
        local client = vim.lsp.get_client_by_id(ctx.client_id)
        if client and M.config.lens then lens.refresh_all(client) end
      end)
      return vim.NIL
    end
  end
  return own
end

local function client_config(root)
  local capabilities = vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), {
    workspace = { codeLens = { refreshSupport = true } },
    window = { showDocument = { support = true } },
  })
  return {
    name = 'catchlens', cmd = M.config.cmd, root_dir = root,
    -- vim.lsp.start of 0.8 to 0.10 knows a server for the same root by this name.
    workspace_folders = { { name = root, uri = vim.uri_from_fname(root) } },
    init_options = vim.tbl_extend('force', M.config.settings, {
      statusNotifications = true, coverageNotifications = true, catchNotifications = true,
      callChainNotifications = true,
    }),
    capabilities = capabilities, commands = client_commands, handlers = handlers(), on_attach = on_attach,
    on_exit = function(code, signal, id)
      statuses[id] = nil
      vim.schedule(function()
        lens.detach(id)
        catches.detach(id)
        coverage.detach(id)
        chaintree.detach(id)
        -- 143 and 15: Neovim ends a server so that takes long to leave.
        if code ~= 0 and code ~= 143 and signal ~= 15 then
          tell(('the server has ended with code %d, signal %d; :Catchlens start starts it again, the log is %s'):format(code, signal, require('vim.lsp.log').get_filename()), 'ERROR')
        end
      end)
    end,
  }
end

-- 0.7: root -> client id, also of one that is still starting.
local started = {}

-- vim.lsp.start came with 0.8; like it, one server serves all buffers of a root.
local function start_or_attach(config, bufnr)
  if vim.lsp.start then return vim.lsp.start(config, { bufnr = bufnr }) end
  local id = started[config.root_dir]
  if not (id and vim.lsp.get_client_by_id(id)) then
    id = vim.lsp.start_client(config)
    started[config.root_dir] = id
  end
  if id then vim.lsp.buf_attach_client(bufnr, id) end
  return id
end

--- Starts the server for a Java buffer, or attaches the one of its workspace.
--- Returns the client's id, nil if there is none.
function M.start(bufnr)
  local file = vim.api.nvim_buf_get_name(bufnr)
  if file == '' or file:match('^%a[%w+.-]+://') or vim.bo[bufnr].buftype ~= '' then return end
  if vim.fn.executable(M.config.cmd[1]) == 0 then
    return vim.notify_once('catchlens: ' .. M.config.cmd[1] .. ' was not found; see :checkhealth catchlens', vim.log.levels.WARN)
  end
  page.watch_hovers()
  return start_or_attach(client_config(M.root(file)), bufnr)
end

--- Changes the defaults. Calling it is optional.
---@param config catchlens.Config|nil
function M.setup(config)
  M.config = vim.tbl_deep_extend('force', vim.deepcopy(M.defaults), config or {})
end

return M
