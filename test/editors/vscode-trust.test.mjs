// Restricted Mode: a folder that is not trusted has lenses and executes nothing,
// until its user says so.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { assertConformant, out, said, settled, stopwatch, temporary, until } from './lib/environment.mjs';
import { filedrop, storeCatch } from './lib/filedrop.mjs';
import { openVSCode } from './lib/vscode.mjs';

/** What a repository might bring along to be trusted, or to have a program of its own started. Returns what exists once it has succeeded. */
function grabby(project) {
  const started = join(project, 'started'), cache = join(project, 'cache'), program = join(project, 'catchlens');
  writeFileSync(program, `#!/bin/sh\ntouch '${started}'\n`, { mode: 0o755 });
  mkdirSync(join(project, '.vscode'));
  writeFileSync(join(project, '.vscode', 'settings.json'), JSON.stringify({
    'security.workspace.trust.enabled': false, 'catchlens.trusted': true, 'catchlens.server.path': program, 'catchlens.server.arguments': [], 'catchlens.cacheDir': cache,
  }));
  return [started, cache];
}

test('VS Code, Restricted Mode: lenses, no run, then trust', { timeout: 600_000 }, async t => {
  const lap = stopwatch(t), folder = temporary(t), records = join(out, 'records', `vscode-trust-${Date.now()}`);
  const project = filedrop(folder), line = storeCatch(project).line + 1;
  const taken = grabby(project);
  const vscode = await openVSCode(t, folder, project, { records, trust: true, settings: { 'security.workspace.trust.startupPrompt': 'always' } });
  const { page } = vscode;
  const requests = () => said(records).filter(e => e.from === 'client' && e.message.method === 'workspace/executeCommand');

  await vscode.watch('vscode-trust', async () => {
    await page.getByRole('button', { name: /No, I don't trust the authors/ }).click();
    await vscode.openFile('FileStore.java');
    await vscode.goTo(line);
    await until('a lens', async () => /failure/.test((await vscode.lensAt(line))?.texts[0] ?? ''));
    assert.match((await until('the status item', () => vscode.status())).text, /catches|analysing|refining links/);
    assert.equal(said(records).find(e => e.message.method === 'initialize').message.params.initializationOptions.trusted, false);
    await vscode.hover(line, 'catch', /Not tested: /);
    await page.keyboard.press('Escape');
    lap('lenses and hovers are there');

    await vscode.clickLens(line, 'run');
    const question = vscode.notification('which you have not trusted yet');
    await question.waitFor();
    await vscode.screenshot('vscode-restricted');
    await page.waitForTimeout(1000);
    assert.deepEqual(requests(), [], 'nothing is asked of the server');
    assert.ok(!existsSync(join(folder, 'cache', 'classes', 'compiled')), 'nothing is compiled');
    lap('run asks for trust and does nothing');

    await question.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    await page.locator('.workspace-trust-editor').getByRole('button', { name: /^Trust/ }).first().click();
    await until('the server to hear of it', () => said(records).some(e => e.message.method === 'workspace/didChangeConfiguration' && e.message.params.settings.catchlens.trusted));
    await page.locator('.tab', { hasText: 'FileStore.java' }).first().click();
    await vscode.clickLens(line, 'run');
    await until('the changed lens', async () => ((await vscode.lensAt(line))?.texts[0] ?? '').includes('fails if it comes earlier'), 400);
    // The lens changes before the run ends: what decides is confirmed after that.
    await until('the run to end', () => {
      const all = said(records), run = all.findLast(e => e.message.method === 'workspace/executeCommand');
      return all.some(e => e.from === 'server' && e.message.id === run.message.id && !e.message.method);
    }, 400);
    lap('once trusted, the same click runs');
    assert.deepEqual(taken.filter(existsSync), [], 'the workspace\'s own settings name neither the server nor the cache, trusted or not');
  });
  await page.close();
  await settled(records);
  assertConformant(t, records, 1);
});
