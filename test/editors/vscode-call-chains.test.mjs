// Call chains in VS Code: lenses, the hovers of a method and of a call, the run that
// tells which are tested, the page of all of them, and the call hierarchy through a
// lambda expression, a method reference and an interface.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { assertConformant, out, pictureFile, said, settled, stopwatch, temporary, until } from './lib/environment.mjs';
import { filedrop } from './lib/filedrop.mjs';
import { openVSCode } from './lib/vscode.mjs';

/** The line, 1-based, of a source of the project that has a text. */
function lineOf(project, name, text) {
  const lines = readFileSync(join(project, 'src/main/java/filedrop', name), 'utf8').split('\n');
  const found = lines.findIndex(l => l.includes(text));
  assert.ok(found >= 0, `${text} in ${name}`);
  return found + 1;
}

const plain = text => text.replaceAll('\u00a0', ' ').replace(/\s+/g, ' ');

test('VS Code: call chains of a method, of a call, as a page; call hierarchy', { timeout: 900_000 }, async t => {
  const lap = stopwatch(t), folder = temporary(t), records = join(out, 'records', `vscode-call-chains-${Date.now()}`);
  const project = filedrop(folder);
  const vscode = await openVSCode(t, folder, project, { records, settings: { 'catchlens.chains': true } });
  const { page } = vscode, line = text => lineOf(project, 'FileStore.java', text);
  const lens = async n => (await vscode.lensAt(n))?.texts.find(x => x.startsWith('chains '));

  await vscode.watch('vscode-call-chains', async () => {
    const method = line('private byte[] decompress('), call = line('return retry.call(');
    await vscode.openFile('FileStore.java');
    await vscode.goTo(method);
    const status = () => said(records).findLast(e => e.message.method === 'catchlens/status')?.message.params;
    const idle = () => status()?.activity === '';
    await until('the refined call graph', async () => await lens(method) && idle(), 300);
    const lensLike = async pattern => pattern.test(await lens(method) ?? '') && await lens(method);
    const before = await until('a lens that does not know yet', () => lensLike(/^chains \?\/\d+$/), 180);
    const hover = await vscode.hover(method, 'decompress',
      /Call chains to FileStore\.decompress in filedrop: \d+, not known which are tested/);
    assert.match(plain(await hover.innerText()), /lambda in FileStore\.readFile/);
    await page.waitForTimeout(500); // the hover fades in
    await vscode.screenshot('vscode-call-chains-1-hover');
    lap(`before a run: ${before}`);

    await hover.locator('a', { hasText: 'Run the tests for them' }).click();
    const after = await until('the lens to know', () => lensLike(/^chains \d+\/\d+$/), 400);
    await until('nothing to be under way', idle, 300);
    assert.equal(await lens(method), after, 'numbers are those of all tests, not of the first of them');
    await page.keyboard.press('Escape');
    const hovered = async (...at) => plain(await (await vscode.hover(...at)).innerText());
    const tested = await hovered(method, 'decompress', /in filedrop: \d+ of \d+ tested/);
    assert.match(tested, /tested by \w+Test#\w+/);
    assert.doesNotMatch(tested, /lambda\$|<init>|not known/);
    await page.waitForTimeout(500);
    await vscode.screenshot('vscode-call-chains-2-tested');
    const picture = pictureFile('call-chains.png'); // of the guide: the editor without what is around it
    if (picture) await page.screenshot({ path: picture, clip: { x: 348, y: 56, width: 932, height: 584 } });
    lap(`after: ${after}; ${tested.slice(0, 300)}`);

    await vscode.goTo(line('entry = index.get(name)'));
    const through = await hovered(line('entry = index.get(name)'), 'get',
      /Call chains through this call of Index\.get in filedrop/);
    await page.waitForTimeout(500);
    await vscode.screenshot('vscode-call-chains-3-call');
    lap(through.slice(0, 300));

    await vscode.goTo(method);
    await vscode.clickLens(method, after);
    const preview = page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
    const heading = /Call chains to FileStore\.decompress in filedrop: \d+ of \d+ tested/;
    await preview.locator('h1', { hasText: heading }).waitFor();
    const chains = preview.locator('ol'), [, count] = after.split('/').map(s => Number(/\d+$/.exec(s)[0]));
    assert.equal(await chains.count(), count, 'the page has each chain');
    await vscode.screenshot('vscode-call-chains-4-page');
    await preview.locator('a', { hasText: /^lambda in FileStore\.readFile:\d+$/ }).first().click();
    const selection = page.locator('[id="status.editor.selection"]');
    await until('the call in the lambda expression', async () => (await selection.innerText()).startsWith(`Ln ${call},`));
    await vscode.closeTab('call-chains.md');
    lap('the page; a frame opens its call');
    await view(vscode, lap, method, call);

    await hierarchy(vscode, lap, 'FileStore.java', method, 'decompress', 'incoming',
      [/^lambda in FileStore\.readFile:\d+/, /^Retry\.call\(Callable\)/, /^FileStore\.readFile\(String\)/], '5-lambda');
    await hierarchy(vscode, lap, 'Retry.java', lineOf(project, 'Retry.java', ' call('), 'call', 'outgoing',
      [/^lambda in FileStore\.readFile:\d+/, /^FileStore\.decompress\(String, Index\.Entry\)/], '6-interface');
    await hierarchy(vscode, lap, 'DropServer.java', lineOf(project, 'DropServer.java', 'private void accept('), 'accept',
      'incoming', [/^Thread\.run\(\)/], '7-reference');
  });
  await page.close();
  await settled(records);
  assertConformant(t, records, 1);
});

/**
 * Shows the chains to the method in a line as a tree; what is chosen of them, with the keyboard alone; a row
 * leads to its call.
 */
async function view(vscode, lap, method, call) {
  const { page } = vscode;
  const pane = page.locator('.pane', { has: page.locator('.pane-header', { hasText: 'Call Chains' }) });
  const rows = async () => {
    const list = pane.locator('.monaco-list-row');
    return (await list.evaluateAll(all => all.map(r => r.getAttribute('aria-label')))).map(plain);
  };
  const text = async () => plain(await pane.innerText());
  await vscode.goTo(method);
  await page.keyboard.press('Alt+j');
  await page.keyboard.press('c');
  const tested = /^FileStore\.decompress\(String, Index\.Entry\), line \d+, tested by /;
  await until('the rows', async () => (await rows()).some(r => tested.test(r)), 60);
  assert.match(await text(), /Call chains to FileStore\.decompress in filedrop: \d+ of \d+ tested\./);
  const all = (await rows()).length;
  await page.waitForTimeout(500);
  await vscode.screenshot('vscode-call-chains-8-view');
  lap((await rows()).join(' | '));

  await vscode.command('Show Only Untested Call Chains');
  await until('what is untested', async () => /only untested/i.test(await text())
    && !(await rows()).some(r => /decompress.*, tested by/.test(r)));
  await vscode.command('Show Tested and Untested Call Chains');
  await vscode.command('Limit the Calls of Call Chains…');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'At most 2 calls' }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await until('short chains', async () => /at most 2 calls/i.test(await text()));
  await vscode.command('Filter Call Chains…');
  await page.locator('.quick-input-widget input').fill('filestore.READ(');
  await page.keyboard.press('Enter');
  await until('none', async () => /None matches the filter/.test(await text()) && (await rows()).length === 0);
  await vscode.screenshot('vscode-call-chains-9-filtered');
  await vscode.command('Show All Call Chains Again');
  await until('all rows', async () => (await rows()).length === all);
  await pane.locator('.monaco-list-row').first().click();
  await page.keyboard.press('ArrowDown');
  const at = (await rows()).findIndex(r => /^FileStore\.decompress/.test(r));
  for (let i = 1; i < at; i++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const selection = page.locator('[id="status.editor.selection"]');
  await until('the call of the row', async () => (await selection.innerText()).startsWith(`Ln ${call},`));

  await vscode.command('Show All Call Chains of the Component at the Cursor');
  await until('the component', async () => /Call chains in filedrop: \d+ of \d+ tested/.test(await text())
    && (await rows()).length > 3);
  await vscode.command('Expand All Call Chains');
  const third = pane.locator('.monaco-list-row[aria-level="3"]');
  await until('all rows of the component', async () => (await third.count()) > 0);
  await vscode.screenshot('vscode-call-chains-10-component');
  lap(`component: ${(await rows()).slice(0, 12).join(' | ')}`);
}

/** Opens the hierarchy of a method in a view and goes down rows, each the first below the last one that looks so. */
async function hierarchy(vscode, lap, file, line, word, direction, rows, picture) {
  const { page } = vscode;
  await vscode.goTo(1); // where openFile finds that a file is shown
  await vscode.openFile(file);
  await vscode.goTo(line);
  const at = await until(word, () => vscode.word(line, word));
  await page.mouse.click(at.x, at.y);
  await vscode.command('Peek Call Hierarchy');
  const list = page.locator('.call-hierarchy .monaco-list-row');
  await list.first().waitFor();
  const shows = `Show ${direction === 'incoming' ? 'Incoming' : 'Outgoing'} Calls`;
  const button = page.locator(`.peekview-widget a.action-label[aria-label^="${shows}"]`).first();
  if (await button.count() > 0) await button.click(); // VS Code keeps the direction of before
  await page.waitForTimeout(1000);
  for (const wanted of rows) {
    const row = await until(`a row ${wanted}`, async () => {
      const texts = (await list.allInnerTexts()).map(plain), i = texts.findIndex(x => wanted.test(x.trim()));
      return i >= 0 && list.nth(i);
    }, 30).catch(async e => {
      throw new Error(`${e.message}; rows: ${(await list.allInnerTexts()).map(plain).join(' | ')}`);
    });
    await row.click();
    await page.keyboard.press('ArrowRight');
  }
  await page.waitForTimeout(1000);
  await vscode.screenshot(`vscode-call-chains-${picture}`);
  lap(`${direction} of ${word}: ${(await list.allInnerTexts()).map(plain).join(' | ')}`);
  await page.keyboard.press('Escape');
}
