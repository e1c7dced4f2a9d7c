// catchlens beside jdt.ls, which compiles into the project's own output folders:
// neither disturbs the other.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { cacheIn, catchlens, finallyDo, here, jdk, jdtls, nvims, repository, temporary } from './lib/environment.mjs';
import { filedrop, storeCatch } from './lib/filedrop.mjs';

/** The files of a project without class files, which jdt.ls writes and removes. */
const files = project => readdirSync(project, { recursive: true, withFileTypes: true }).filter(e => e.isFile() && !e.name.endsWith('.class')).map(e => join(e.parentPath ?? e.path, e.name).slice(project.length + 1)).sort();

test('Neovim 0.12: jdt.ls on the same project', { timeout: 900_000 }, async t => {
  const folder = temporary(t), project = filedrop(folder), at = storeCatch(project), server = jdtls();
  for (const d of ['config', 'data', 'state', 'eclipse']) mkdirSync(join(folder, d));
  cpSync(join(server, 'configuration'), join(folder, 'configuration'), { recursive: true });
  const launcher = readdirSync(join(server, 'plugins')).find(f => /^org\.eclipse\.equinox\.launcher_.*\.jar$/.test(f));
  const command = [join(jdk(21), 'bin', 'java'), '-Declipse.application=org.eclipse.jdt.ls.core.id1', '-Dosgi.bundles.defaultStartLevel=4', '-Declipse.product=org.eclipse.jdt.ls.core.product',
    '-Djava.import.generatesMetadataFilesAtProjectRoot=true', // .project, .classpath and .settings into the project, as older ones do
    '-Dosgi.sharedConfiguration.area.readOnly=true', '-Xmx512m', '--add-modules=ALL-SYSTEM', '--add-opens', 'java.base/java.util=ALL-UNNAMED', '--add-opens', 'java.base/java.lang=ALL-UNNAMED',
    '-jar', join(server, 'plugins', launcher), '-configuration', join(folder, 'configuration'), '-data', join(folder, 'eclipse')];
  const before = files(project);
  const env = {
    ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data'), XDG_STATE_HOME: join(folder, 'state'),
    CATCHLENS_PLUGIN: join(repository, 'editors', 'nvim'),
    CATCHLENS_COMMAND: JSON.stringify([catchlens(), 'lsp']), CATCHLENS_CACHE: cacheIn(folder),
    CATCHLENS_FILE: at.file, CATCHLENS_ROW: String(at.line), CATCHLENS_PROJECT: project, JDTLS_COMMAND: JSON.stringify(command),
  };
  const child = spawn(nvims['0.12'](), ['--headless', '-u', join(here, 'nvim', 'init.lua'), '-i', 'NONE', '-c', `luafile ${join(here, 'nvim', 'jdtls.lua')}`], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  finallyDo(t, () => child.kill('SIGKILL'));
  let output = '', errors = '';
  child.stdout.on('data', d => { output += d; });
  child.stderr.on('data', d => { errors += d; });
  const code = await new Promise(r => child.once('close', r));
  for (const line of output.trim().split('\n')) t.diagnostic(line);
  assert.equal(code, 0, `${output}\n${errors}`);
  const added = files(project).filter(f => !before.includes(f));
  assert.deepEqual(added.filter(f => !/^(\.project|\.classpath|\.factorypath|\.settings\/[\w.]+\.prefs)$/.test(f)), [], 'nothing in the project but what jdt.ls keeps there');
  assert.ok(added.includes('.classpath'), `jdt.ls keeps its files in the project: ${added}`);
  execFileSync(catchlens(), ['analyze', '--cache', join(folder, 'other'), project], { stdio: 'pipe' }); // with those files around
});
