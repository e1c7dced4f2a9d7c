-- catchlens beside another Java language server, jdt.ls, on one project:
--   nvim --headless -u nvim/init.lua -c 'luafile nvim/jdtls.lua'
-- Says on standard output how far it is; ends with 1 and the reason if a step fails.
local steps = dofile(debug.getinfo(1, 'S').source:match('^@(.*)[/\\]') .. '/steps.lua')
local uv = vim.uv or vim.loop
local lap, check, told = steps.lap, steps.check, steps.told

local file, row = vim.env.CATCHLENS_FILE, tonumber(vim.env.CATCHLENS_ROW)
local classes = vim.fs.joinpath(vim.env.CATCHLENS_PROJECT, 'target', 'classes', 'filedrop')
local buf, jdtls

local function client(name) return vim.lsp.get_clients({ name = name })[1] end

-- What a server answers.
local function ask(c, method, params)
  local answer, err = c:request_sync(method, params, 240000, buf)
  check(answer and not answer.err, ('%s: %s %s'):format(method, err, answer and vim.inspect(answer.err)))
  return answer.result
end

local function lenses(c)
  return ask(c, 'textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(buf) } })
end

-- Everything that the user has seen of catchlens's lenses: their number, and the title at the catch.
local seen = {}
local function look()
  local all = lenses(check(client('catchlens'), 'catchlens is there'))
  local title
  for _, l in ipairs(all) do
    if l.range.start.line == row and not title then title = l.command.title end
  end
  local now = ('%d lenses, %s'):format(#all, tostring(title))
  if seen[#seen] ~= now then table.insert(seen, now) end
  return title, #all
end

-- Calls f every 10 ms until it gives something, or the time is up. (vim.wait calls it again at every
-- event, and counts whole milliseconds between two: with quick answers its time is never up.)
local function poll(seconds, f)
  local stop = uv.hrtime() + seconds * 1e9
  while true do
    local ok, v = pcall(f)
    if ok and v then return true, v end
    if uv.hrtime() > stop then return false, v end
    vim.wait(10)
  end
end

local function wait(what, f, seconds)
  local ok, v = poll(seconds or 120, f)
  if not ok then error(('waited for %s; last: %s; told: %s; seen: %s'):format(what, tostring(v), vim.inspect(told), vim.inspect(seen)), 0) end
  return v
end

local function idle() return require('catchlens').status():match('catches') end

local ready = false
local function start_jdtls()
  jdtls = vim.lsp.start({
    name = 'jdtls', cmd = vim.json.decode(vim.env.JDTLS_COMMAND), root_dir = vim.env.CATCHLENS_PROJECT,
    init_options = { settings = { java = { referencesCodeLens = { enabled = true }, autobuild = { enabled = true } } } },
    settings = { java = { referencesCodeLens = { enabled = true } } },
    handlers = { ['language/status'] = function(_, s) if s.type == 'ServiceReady' then ready = true end end },
  }, { bufnr = buf })
end

-- The class files as they are now, and their number.
local function digest()
  local out = {}
  for name in vim.fs.dir(classes) do
    if name:match('%.class$') then
      local f = io.open(classes .. '/' .. name, 'rb')
      if f then
        table.insert(out, name .. vim.fn.sha256(f:read('*a')))
        f:close()
      end
    end
  end
  table.sort(out)
  return table.concat(out, '\n'), #out
end

local function builds()
  local first, title, n = digest(), look()
  for i = 1, 2 do
    local done, since = false, #seen
    client('jdtls'):request('java/buildWorkspace', true, function(err, result) done = err and vim.inspect(err) or result end, buf)
    wait('a full build by jdt.ls', function() look() return done end)
    check(done == 1, 'jdt.ls has built without errors: ' .. tostring(done))
    poll(4, function() look() end) -- Neovim watches no files: the server looks every 2 s
    wait('catchlens to be idle', function() look() return idle() end)
    for s = since + 1, #seen do
      check(seen[s] == ('%d lenses, %s'):format(n, title), ('build %d: the lenses flicker: %s'):format(i, vim.inspect(seen)))
    end
  end
  local after, files = digest()
  lap(('2 full builds by jdt.ls, %d class files, %s: the lenses have not changed'):format(files, after == first and 'as before' or 'with other contents'))
end

local function main()
  vim.cmd('edit ' .. vim.fn.fnameescape(file))
  buf = vim.api.nvim_get_current_buf()
  local javac = digest()
  start_jdtls()
  wait('a lens', function() local t = look() return t and (t:find('^%d+ failures, none tested$') or t:find('^1 failure, not tested$')) end)
  wait('jdt.ls', function() look() return ready end, 240)
  lap('both are ready')
  wait('jdt.ls to compile the project', function() look() return digest() ~= javac end)
  poll(6, function() look() end) -- until the server has looked and its links are being refined
  wait('the lens and peace', function() local t = look() return t and idle() end)
  lap('jdt.ls has written its own class files: ' .. table.concat(seen, '; '))

  local others = lenses(client('jdtls'))
  check(#others > 0, 'jdt.ls has lenses')
  local references = ask(client('jdtls'), 'codeLens/resolve', others[1]).command.title
  check(references:find('^%d+ references?$'), 'a lens of jdt.ls: ' .. references)
  lap(('lenses of both: %s; %d of jdt.ls, such as %s'):format(seen[#seen], #others, references))
  builds()

  local before = digest()
  vim.api.nvim_win_set_cursor(0, { row + 1, 0 })
  vim.cmd('Catchlens run')
  local verdict = wait('the verdict', function() local t = look() return t and t:find('fails if it comes earlier', 1, true) and idle() and t end, 300)
  check(digest() == before, 'a run writes into the project\'s output folder')
  lap('run: ' .. verdict)
  builds()

  vim.api.nvim_win_set_cursor(0, { row - 9, 0 })
  vim.cmd('normal! O// the line above')
  vim.cmd('silent write')
  row = row + 1
  wait('the same lens, a line below', function() return look() == verdict and idle() end)
  poll(4, function() look() end) -- jdt.ls compiles what was saved, too
  wait('the same lens after both have compiled', function() return look() == verdict and idle() end)
  lap('saving: both compile, the lens is as before')

  local errors = vim.tbl_filter(function(d) return d.severity == vim.diagnostic.severity.ERROR end, vim.diagnostic.get(nil))
  check(#errors == 0, 'no server sees an error: ' .. vim.inspect(errors))
  local status = ask(client('catchlens'), 'workspace/executeCommand', { command = 'catchlens.status' })
  check(status.problems == 0, vim.inspect(status))
  for _, c in ipairs(vim.lsp.get_clients()) do c:stop() end
  vim.wait(20000, function() return #vim.lsp.get_clients() == 0 end)
end

steps.run(main)
