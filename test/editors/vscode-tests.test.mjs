// The tests in the Test Explorer of VS Code: listed before they run, run with coverage, and what is
// shown of that: results, totals, lines and branches in the editor.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { assertConformant, out, said, settled, stopwatch, temporary, until } from './lib/environment.mjs';
import { filedrop } from './lib/filedrop.mjs';
import { openVSCode } from './lib/vscode.mjs';

test('VS Code: tests, a run with coverage, lines and branches', { timeout: 600_000 }, async t => {
  const lap = stopwatch(t), folder = temporary(t), records = join(out, 'records', `vscode-tests-${Date.now()}`);
  const vscode = await openVSCode(t, folder, filedrop(folder), { records, settings: { 'testing.automaticallyOpenTestResults': 'neverOpen' } });
  const { page } = vscode, rows = page.locator('.test-explorer .monaco-list-row');
  const last = is => said(records).findLast(e => e.message.result && is(e.message.result))?.message.result;
  const listed = () => last(r => r.tests && 'analysed' in r)?.tests, covered = () => last(r => r.files && 'known' in r);
  await vscode.watch('vscode-tests', async () => {
    await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
    await page.locator('.activitybar a.action-label[aria-label^="Testing"]').click();
    await until('the test classes', async () => (await rows.allInnerTexts()).some(x => x.includes('FileStoreTest')), 120);
    const tests = listed();
    assert.ok(tests.length > 10 && tests.every(x => x.run === undefined), 'tests are known before any has run');
    lap(`${tests.length} tests in ${await rows.count()} rows`);

    await vscode.command('Test: Run All Tests with Coverage');
    await until('coverage of the files', () => covered()?.known, 240);
    const { files } = covered(), store = files.find(f => f.uri.endsWith('/FileStore.java'));
    const after = listed();
    assert.ok(after.every(x => x.run?.outcome === 'pass'), JSON.stringify(after.filter(x => x.run?.outcome !== 'pass')));
    await until('passed tests', async () => (await rows.locator('.codicon-testing-passed-icon').count()) > 3);
    await until('the totals', async () => (await page.locator('.coverage-view, .test-coverage-tree, .pane-body').allInnerTexts()).join(' ').includes('FileStore.java'));
    await vscode.screenshot('vscode-tests-1');
    lap(`${after.length} passed; FileStore: ${store.lines.covered} of ${store.lines.total} lines, ${store.tests.length} tests`);

    await page.locator('.activitybar a.action-label[aria-label^="Explorer"]').click();
    await vscode.openFile('FileStore.java');
    const details = await until('the lines of the file', () => said(records).findLast(e => e.message.result?.lines?.length > 0)?.message.result);
    const missed = details.lines.filter(l => l.state === 'missed').length;
    assert.equal(details.lines.length - missed, store.lines.covered);
    const marks = '.margin-view-overlays [class*="coverage-deco-gutter"]';
    await until('marks in the gutter', async () => (await page.locator(marks).count()) > 0);
    await vscode.screenshot('vscode-tests-2');
    lap(`${details.lines.length} lines, ${missed} missed, ${await page.locator(marks).count()} marked on the screen`);
  });
  await page.close();
  await settled(records);
  assertConformant(t, records, 1);
});
