// The view of all catches in VS Code: groups, filter, reveal, run, badge, words for a screen
// reader, and what it says where there is nothing to show.
import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { assertConformant, out, said, settled, stopwatch, temporary, until } from './lib/environment.mjs';
import { filedrop, storeCatch } from './lib/filedrop.mjs';
import { openVSCode } from './lib/vscode.mjs';

const openView = page => page.locator('.activitybar a.action-label[aria-label^="catchlens"]').click();
const rowsOf = page => page.locator('.pane-body .customview-tree .monaco-list-row');
/** Name and description of each row. */
const texts = page => rowsOf(page).evaluateAll(rows => rows.map(r => ['.label-name', '.label-description'].map(s => r.querySelector(s)?.textContent ?? '').join(' ').trim()));

async function walkthrough(vscode) {
  await vscode.command('Welcome: Open Walkthrough');
  await vscode.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Get Started with catchlens' }).first().click();
  await vscode.page.locator('.gettingStartedContainer .getting-started-step', { hasText: 'Open a Java project' }).waitFor();
}

test('VS Code: the view of catches', { timeout: 600_000 }, async t => {
  const lap = stopwatch(t), folder = temporary(t), records = join(out, 'records', `vscode-view-${Date.now()}`);
  const project = filedrop(folder), line = storeCatch(project).line + 1;
  const vscode = await openVSCode(t, folder, project, { records, settings: { 'catchlens.faults': 'off' } });
  const { page } = vscode, rows = rowsOf(page);
  const badge = async () => (await page.locator('.activitybar .action-item', { has: page.locator('[aria-label^="catchlens"]') }).locator('.badge-content').allInnerTexts()).join('');

  await vscode.watch('vscode-view', async () => {
    await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
    await walkthrough(vscode); // VS Code follows its steps from here on
    await openView(page);
    const all = await until('the list', async () => (await texts(page))[0]?.match(/^Not run (\d+)$/)?.[1]);
    const { catches } = said(records).findLast(e => e.message.result?.catches).message.result;
    assert.equal(Number(all), catches.filter(c => c.kind === 'not-run').length);
    assert.equal(await badge(), '', 'nothing to look at before a run');
    await vscode.screenshot('vscode-view-1');
    lap(`${all} catches, none run`);

    await vscode.command('Filter Catches…');
    await page.locator('.quick-input-widget input').fill('filestore.WRITE ioexception');
    const mine = catches.filter(c => c.method === 'FileStore.write');
    await until('the filtered list', async () => (await rows.count()) === 1 + mine.length);
    await page.keyboard.press('Enter');
    assert.match((await texts(page))[0], new RegExp(`^Not run ${mine.length}$`));
    lap(`filtered: ${(await texts(page)).join(' | ')}`);

    const wanted = mine.find(c => c.range.start.line === line - 1), row = rows.nth(1 + mine.indexOf(wanted));
    assert.equal(await row.getAttribute('aria-label'), `catch (IOException) in FileStore.write, ${wanted.title}, ${wanted.file} line ${line}`);
    await row.click();
    await until('the catch to be shown', async () => (await page.locator('[id="status.editor.selection"]').innerText()).startsWith(`Ln ${line},`));
    assert.equal(await page.locator('.tab.active').innerText().then(s => s.trim()), 'FileStore.java');
    lap('a click reveals the catch');

    // From here on the view is watched: it never is without its rows.
    await page.evaluate(() => {
      globalThis.fewest = Infinity;
      setInterval(() => { globalThis.fewest = Math.min(globalThis.fewest, document.querySelectorAll('.pane-body .customview-tree .monaco-list-row').length); }, 20);
    });
    // A row that is drawn anew between the press and the release of a button gets no click.
    await until('the refined links', () => said(records).findLast(e => e.message.method === 'catchlens/status').message.params.activity === '', 300);
    await page.waitForTimeout(1000); // they are being drawn
    await row.hover();
    await row.locator('.action-label[aria-label="Run This Catch"]').click();
    await until('the verdict in the view', async () => (await texts(page)).some(x => /^Depend on the source 1$/.test(x)), 240);
    await until('the badge', async () => await badge() === '1');
    lap(`run: ${(await texts(page)).join(' | ')}`);
    await until('nothing to be under way', () => said(records).findLast(e => e.message.method === 'catchlens/status').message.params.activity === '', 300);
    const fewest = await page.evaluate(() => globalThis.fewest);
    assert.ok(fewest >= 2, `the view had ${fewest} rows for a moment`);
    await until('its sign beside the code', async () => (await vscode.signs()).get(line) === '▲');
    await vscode.screenshot('vscode-view-2');

    await vscode.goTo(1);
    await page.locator('.editor-instance .monaco-editor').first().click({ position: { x: 300, y: 150 } });
    await vscode.goTo(1);
    for (const key of ['n', 'p']) {
      await page.keyboard.press('Alt+j');
      await page.keyboard.press(key);
      await until('the one catch to look at', async () => (await page.locator('[id="status.editor.selection"]').innerText()).startsWith(`Ln ${line},`));
      await vscode.goTo(1);
    }
    await vscode.goTo(line + 1);
    await page.keyboard.press('Alt+j');
    await page.keyboard.press('f');
    await page.locator('.tab.active', { hasText: /Preview.*chains|chains.*Preview/ }).waitFor();
    await vscode.closeTab('chains.md');
    lap('keys: the next and the previous catch to look at, and the failures of the one at the cursor');

    await walkthrough(vscode);
    await until('its three steps to be done', async () => (await page.locator('.gettingStartedContainer .getting-started-step .codicon.complete').count()) === 3);
    await vscode.screenshot('vscode-walkthrough');
    lap('the walkthrough has seen its three steps done');

    await vscode.command('Group Catches by File');
    await until('files', async () => (await texts(page))[0]?.startsWith('FileStore.java'));
    assert.equal((await texts(page))[1], `catch (IOException) line ${mine[0].range.start.line + 1} · ${said(records).findLast(e => e.message.result?.catches).message.result.catches.find(c => c.id === mine[0].id).title}`);
    await vscode.command('Clear the Filter of Catches');
    await until('all files', async () => (await rows.count()) > 5);
    await vscode.command('Group Catches by Exception');
    await until('exceptions', async () => (await texts(page)).some(x => x.startsWith('CacheMissException')));
    await vscode.screenshot('vscode-view-3');
    lap('by file and by exception');

    await page.reload();
    await page.locator('.monaco-workbench').waitFor();
    await until('the list after a reload', async () => (await texts(page)).some(x => /^IOException \d+, 1 to look at$/.test(x)), 120);
    lap('the list is there after a reload, grouped as before');
    await until('the first server has left in order', () => said(records).some(m => m.message.method === 'exit'));
  });
  await page.close();
  await settled(records);
  assertConformant(t, records, 2);
});

test('VS Code: the view of a project that is not compiled, in Restricted Mode', { timeout: 600_000 }, async t => {
  const lap = stopwatch(t), folder = temporary(t), project = filedrop(folder);
  rmSync(join(project, 'target'), { recursive: true });
  const vscode = await openVSCode(t, folder, project, { trust: true, settings: { 'security.workspace.trust.startupPrompt': 'always' } });
  const { page } = vscode;
  await vscode.watch('vscode-view-restricted', async () => {
    await page.getByRole('button', { name: /No, I don't trust the authors/ }).click();
    await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
    await openView(page);
    const welcome = page.locator('.welcome-view-content', { hasText: 'The project is not compiled' });
    await welcome.waitFor();
    await vscode.screenshot('vscode-view-restricted');
    await welcome.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    await page.locator('.workspace-trust-editor').getByRole('button', { name: /^Trust/ }).first().click();
    lap('the view says what to do, and leads there');
    await until('the list once it is trusted and compiled', async () => (await texts(page)).some(x => /^Not run \d+$/.test(x)), 120);
    lap('once trusted, the project is compiled and listed');
    assert.ok(!existsSync(join(project, 'target')), 'nothing is written into the project');
  });
});
