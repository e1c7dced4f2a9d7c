// What VS Code's API shows of catchlens, seen by a second extension (probe/) in a
// workspace of two folders, with the server inside the .vsix.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { here, repository, temporary, until } from './lib/environment.mjs';
import { filedrop } from './lib/filedrop.mjs';
import { openVSCode } from './lib/vscode.mjs';

test('VS Code, API: two folders, actions, call hierarchy, restarts, settings', { timeout: 600_000 }, async t => {
  const folder = temporary(t), verdict = join(folder, 'verdict.json'), probe = join(folder, 'probe.vsix'), workspace = join(folder, 'both.code-workspace');
  execFileSync(join(repository, 'vscode-extension', 'node_modules', '.bin', 'vsce'), ['package', '--no-dependencies', '--skip-license', '--allow-missing-repository', '-o', probe], { cwd: join(here, 'probe'), stdio: 'pipe' });
  for (const name of ['one', 'two']) filedrop(folder, name);
  writeFileSync(workspace, JSON.stringify({ folders: [{ path: 'one' }, { path: 'two' }] }));
  const vscode = await openVSCode(t, folder, workspace, { extensions: [probe], env: { CATCHLENS_PROBE: verdict } });
  await vscode.watch('vscode-api', async () => {
    const result = await until('the probe', () => existsSync(verdict) && readFileSync(verdict, 'utf8') && JSON.parse(readFileSync(verdict, 'utf8')), 500);
    for (const step of result.steps) t.diagnostic(step);
    assert.ok(result.ok, result.error);
  });
});
