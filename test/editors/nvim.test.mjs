// The plug-in in Neovim 0.7, 0.10 and 0.12: the main path without a screen, and what
// a person sees on one.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import {
  assertConformant, cacheIn, catchlens, emptyCacheIn, finallyDo, here, nvims, out, recorded, repository, said,
  stopwatch, temporary, tmux, until,
} from './lib/environment.mjs';
import { filedrop, storeCatch } from './lib/filedrop.mjs';

const init = join(here, 'nvim', 'init.lua');

/**
 * A project and the environment in which Neovim works on it as one user, who has that setting for faults,
 * if any, and that cache folder.
 */
function setUp(t, name, faults, cache = cacheIn) {
  const folder = temporary(t), records = join(out, 'records', `nvim-${name}-${Date.now()}`);
  const project = filedrop(folder), at = storeCatch(project);
  for (const d of ['config', 'data', 'state']) mkdirSync(join(folder, d));
  const env = {
    ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data'), XDG_STATE_HOME: join(folder, 'state'),
    CATCHLENS_PLUGIN: join(repository, 'editors', 'nvim'), CATCHLENS_COMMAND: JSON.stringify([recorder(folder, records), 'lsp']),
    CATCHLENS_CACHE: cache(folder), CATCHLENS_FILE: at.file,
    CATCHLENS_ROW: String(at.line), CATCHLENS_COLUMN: String(at.character),
    ...(faults && { CATCHLENS_FAULTS: faults }),
  };
  return { folder, records, project, at, env };
}

/** A catchlens that records what it says as a server. */
function recorder(folder, records) {
  const file = join(folder, 'catchlens'), quote = list => list.map(w => `'${w}'`).join(' ');
  writeFileSync(file, `#!/bin/sh\n[ "$1" = lsp ] && exec ${quote(recorded(records, catchlens()))} "$@"\nexec ${quote([catchlens()])} "$@"\n`, { mode: 0o755 });
  return file;
}

/** Runs a script of the folder nvim in Neovim without a screen. */
async function session(t, nvim, script, env) {
  const child = spawn(nvim, ['--headless', '-u', init, '-i', 'NONE', '-c', `luafile ${join(here, 'nvim', script)}`], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  finallyDo(t, () => child.kill('SIGKILL'));
  let output = '', errors = '';
  child.stdout.on('data', d => { output += d; });
  child.stderr.on('data', d => { errors += d; });
  const code = await new Promise(r => child.once('close', r));
  for (const line of output.trim().split('\n')) t.diagnostic(line);
  assert.equal(code, 0, `${output}\n${errors}`);
  assert.match(output, /\ndone\n$/);
  assert.doesNotMatch(errors, /Error|deprecated/i);
}

for (const [version, nvim] of Object.entries(nvims)) {
  // Most of a run's time goes to faults, which no editor knows of: one version is enough for them.
  const faults = version === '0.12' ? undefined : 'off';
  test(`Neovim ${version}: lenses, hover, run, diagnostic, edits, chains, restart, health`, { timeout: 900_000 }, async t => {
    assert.match(execFileSync(nvim(), ['--version'], { encoding: 'utf8' }), new RegExp(`^NVIM v${version.replace('.', '\\.')}\\.`));
    const { records, env } = setUp(t, version, faults, version === '0.12' ? emptyCacheIn : cacheIn);
    await session(t, nvim(), 'session.lua', env);
    const entries = said(records), second = entries.findLastIndex(e => e.message.method === 'initialize');
    assert.equal(entries.slice(second).filter(e => e.message.method === 'workspace/executeCommand').length, 0, 'nothing is run again after the restart');
    assertConformant(t, records, 2);
  });

  test(`Neovim ${version}: what stands on the screen`, { timeout: 600_000 }, async t => {
    const { folder, records, at, env } = setUp(t, `${version}-screen`, faults), lap = stopwatch(t);
    const socket = `catchlens-${process.pid}-${version.replace('.', '')}`;
    const run = (...args) => execFileSync(tmux(), ['-L', socket, '-f', '/dev/null', ...args], { env: { ...env, TERM: 'screen-256color' }, encoding: 'utf8' });
    finallyDo(t, () => { try { run('kill-server'); } catch { /* has ended */ } });
    const script = join(folder, 'nvim.sh');
    writeFileSync(script, `#!/bin/sh\nexec "${nvim()}" -u "${init}" -i NONE +${at.line + 1} "${at.file}" 2>"${join(folder, 'stderr')}"\n`, { mode: 0o755 });
    run('new-session', '-d', '-x', '110', '-y', '40', script);
    const screen = () => run('capture-pane', '-p');
    const see = async (what, pattern) => {
      try {
        return await until(what, () => pattern.exec(screen()), 300);
      } catch (e) {
        throw new Error(`${e.message}; the screen:\n${screen()}`);
      } finally {
        writeFileSync(join(out, `nvim-${version}.txt`), screen());
      }
    };
    const lens = await see('a lens above its catch', new RegExp(`^ +(\\d+ failures?, (?:none|not) tested \\| run) *\\n\\S* +${at.line + 1} +} catch \\(IOException e\\) {`, 'm'));
    lap(`on the screen: ${lens[1]}`);
    await see('the status line', /catchlens: \d+ catches, \d+ of \d+ failures tested/);
    run('send-keys', 'zz', '$', 'F', '(', 'b', 'K');
    await see('the hover', /Not tested: \d+ of \d+ failures/);
    lap('hover');
    run('send-keys', 'j', ',cr');
    await see('that it runs', /running this catch/);
    await see('the changed lens', /\d+ of \d+ failures tested · fails if it comes earlier \| run again/);
    run('send-keys', 'Escape', ':lua vim.diagnostic.open_float({ scope = "line" })', 'Enter');
    run('send-keys', `:${at.line + 1}`, 'Enter', 'zz', ':lua vim.diagnostic.open_float()', 'Enter');
    await see('the warning', /This catch depends on where in the try/);
    lap('changed lens and warning');
    run('send-keys', 'Escape', 'j', `:${at.line - 9}`, 'Enter', 'O// the line above', 'Escape');
    await see('the lens to move', new RegExp(`fails if it comes earlier \\| run again *\\n\\S* +${at.line + 2} +} catch \\(IOException e\\) {`));
    run('send-keys', ':qa!', 'Enter');
    await until('the server and its test JVMs to leave with Neovim', () => {
      const running = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
      return !running.includes(records) && !running.includes(folder);
    });
    lap('the server has left with it');
  });
}

test('Neovim 0.12: call chains and call hierarchy', { timeout: 900_000 }, async t => {
  const { records, env } = setUp(t, 'call-chains');
  await session(t, nvims['0.12'](), 'call-chains.lua', env);
  assertConformant(t, records, 1);
});

for (const version of ['0.7', '0.12']) {
  test(`Neovim ${version}: the page of call chains, with answers of the test`, { timeout: 60_000 }, async t => {
    await session(t, nvims[version](), 'chain-tree.lua', setUp(t, `chain-tree-${version}`).env);
  });
}

test('Neovim 0.7: coverage, the tests of a line', { timeout: 600_000 }, async t => {
  const { records, env } = setUp(t, 'coverage');
  await session(t, nvims['0.7'](), 'coverage.lua', env);
  assertConformant(t, records, 1);
});
