// Code actions that change the source in VS Code: a verified catch of any Exception, which
// the user sees and confirms first, and a comment that accepts a finding.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { cacheIn, catchlens, stopwatch, temporary, until } from './lib/environment.mjs';
import { catchIn, filedrop, storeCatch } from './lib/filedrop.mjs';
import { openVSCode } from './lib/vscode.mjs';

test('VS Code: stretch a catch, accept a finding', { timeout: 600_000 }, async t => {
  const lap = stopwatch(t), folder = temporary(t), project = filedrop(folder);
  // Whether a catch may take more is asked where all tests have run.
  execFileSync(catchlens(), ['coverage', project, '--cache', cacheIn(folder), '--quiet']);
  lap('all tests have run');
  const vscode = await openVSCode(t, folder, project, { settings: { 'catchlens.faults': 'off' } });
  const { page } = vscode, title = async n => (await vscode.lensAt(n))?.texts[0] ?? '';
  lap('VS Code is open');

  await vscode.watch('vscode-actions', async () => {
    await vscode.openFile('FileStore.java');
    const wide = catchIn(project, 'FileStore.java', 'catch (CacheMissException e)');
    await run(vscode, wide.line + 1, /perfect plan B$/);
    lap(`lens: ${await title(wide.line + 1)}`);
    await vscode.action(wide.line + 1, wide.character + 1, /Catch any Exception here/);
    const preview = page.locator('.refactor-preview, .bulk-edit-panel').first();
    await preview.waitFor();
    await vscode.screenshot('vscode-stretch');
    lap(`previewed: ${(await preview.innerText()).replaceAll('\n', ' ')}`);
    assert.ok(await page.locator('.view-line', { hasText: 'catch (CacheMissException e)' }).count() > 0, 'nothing is changed before the user says so');
    await preview.locator('.edit-checkbox').first().check(); // what needs confirmation is not ticked
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.locator('.view-line', { hasText: /CacheMissException\se/ }).first().waitFor({ state: 'detached' });
    const anyException = page.locator('.view-line', { hasText: /catch\s\(Exception\se\)/ });
    const changed = await anyException.count(); // another catch has it
    lap('the catch is changed');
    await page.keyboard.press('Control+Z');
    await page.locator('.view-line', { hasText: /catch\s\(CacheMissException\se\)/ }).first().waitFor();
    assert.equal(await anyException.count(), changed - 1, 'one catch was changed, and undone');

    const store = storeCatch(project);
    await vscode.goTo(store.line + 1);
    await until('the lens of a catch whose tests have run', async () => (await vscode.lensAt(store.line + 1))?.texts.includes('run again'));
    await run(vscode, store.line + 1, /fails if it comes earlier/);
    await page.locator('.editor-instance .squiggly-warning').first().waitFor();
    await vscode.action(store.line + 1, store.character + 1, /Accept this verdict/);
    await page.locator('.view-line', { hasText: /catchlens:accept\ssource-dependent/ }).first().waitFor();
    lap('the comment that accepts the finding is written');
    await page.keyboard.press('Control+S');
    await page.locator('.editor-instance .squiggly-warning').first().waitFor({ state: 'detached' });
    await until('the comment on disk', () => readFileSync(store.file, 'utf8').includes('catchlens:accept source-dependent'));
    await vscode.screenshot('vscode-accepted');
    lap('the warning is gone');
  });
});

/** Runs the catch of a line to the end, which tries whether it may take more, and waits for its verdict. */
async function run(vscode, line, verdict) {
  await vscode.goTo(line);
  const runs = await until('a lens that runs', async () => (await vscode.lensAt(line))?.texts.find(text => /^run( again)?$/.test(text)));
  for (let times = 1; ; times++) { // a lens that VS Code lays out anew under the mouse takes no click
    await vscode.clickLens(line, runs);
    try {
      await vscode.notification('Running this catch').waitFor({ timeout: 10_000 });
      break;
    } catch (e) {
      if (times === 3) throw e;
      console.log(`# click ${times} on "${runs}" was lost`);
    }
  }
  await vscode.notification('Running this catch').waitFor({ state: 'hidden', timeout: 180_000 });
  await until('the verdict', async () => verdict.test((await vscode.lensAt(line))?.texts[0] ?? ''));
}
