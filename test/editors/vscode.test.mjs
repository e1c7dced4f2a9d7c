// The main path in VS Code, as a user goes it: lenses, hover, run, the warning and
// the changed lens, edits, chains, and the same results after a reload.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { assertConformant, out, pictureFile, said, settled, stopwatch, temporary, until } from './lib/environment.mjs';
import { filedrop, storeCatch } from './lib/filedrop.mjs';
import { openVSCode } from './lib/vscode.mjs';

test('VS Code: lenses, hover, run, diagnostic, edits, reload', { timeout: 900_000 }, async t => {
  const lap = stopwatch(t), folder = temporary(t), records = join(out, 'records', `vscode-${Date.now()}`);
  const project = filedrop(folder), at = storeCatch(project), line = at.line + 1;
  const settings = pictureFile('vscode.png') ? ofPicture : {};
  const vscode = await openVSCode(t, folder, project, { records, first: true, settings });
  const { page } = vscode;
  const lens = n => vscode.lensAt(n);
  const title = async n => (await lens(n))?.texts[0] ?? '';
  lap('VS Code is open');

  await vscode.watch('vscode', async () => {
    await vscode.openFile('FileStore.java');
    await vscode.goTo(line);
    const first = await until('a lens with failures and run', async () => {
      const l = await lens(line);
      return /^\d+ failures?, (none|not) tested$/.test(l?.texts[0] ?? '') && l.texts.length > 1 && l;
    });
    assert.deepEqual(first.texts.slice(1), ['run']);
    assert.equal((await vscode.signs()).size, 0, 'no signs before a run');
    assert.ok(!said(records).some(m => m.message.method === 'workspace/executeCommand'), 'nothing has been executed');
    lap(`lens: ${first.texts.join(' | ')}`);
    await until('the status item', async () => /\d+ catches/.test((await vscode.status())?.text ?? ''));
    await vscode.screenshot('vscode-1-lenses');

    const hover = await vscode.hover(line, 'catch', /Not tested: /);
    await vscode.screenshot('vscode-2-hover');
    lap('hover');
    const call = hover.locator('a', { hasText: /^line \d+$/ }).first(), [, at] = /(\d+)/.exec(await call.innerText());
    await call.click();
    await until(`line ${at}`, async () => (await page.locator('[id="status.editor.selection"]').innerText()).startsWith(`Ln ${at},`));
    await vscode.goTo(line);
    lap('a link of the hover opened its line');

    await vscode.clickLens(line, 'run');
    await vscode.notification('Running this catch').waitFor();
    await vscode.screenshot('vscode-3-running');
    lap('run: progress is shown');
    await until('the changed lens', async () => (await title(line)).includes('fails if it comes earlier'), 180);
    await page.locator('.editor-instance .squiggly-warning').first().waitFor();
    lap(`lens: ${await title(line)}`);
    await vscode.notification('Running this catch').waitFor({ state: 'hidden', timeout: 300_000 }); // faults are tried after the verdict
    await until('nothing to be under way', () => said(records).findLast(e => e.message.method === 'catchlens/status').message.params.activity === '', 300);
    await until('the lens of a catch that has run', async () => (await lens(line))?.texts.slice(1).join() === 'run again');

    await (await vscode.hover(line, 'catch', /depends on where in the try/)).getByText(/It does not cope/).first().waitFor();
    await page.waitForTimeout(500); // the hover fades in
    await vscode.screenshot('vscode-4-verdict');
    if (pictureFile('vscode.png')) await picture(vscode, line);
    lap('warning and hover');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Shift+M');
    const problem = page.locator('.markers-panel .monaco-list-row', { hasText: 'This catch depends on where in the try' }).first();
    await problem.waitFor();
    assert.match(await problem.innerText(), /source-dependent-catch/);
    const [, failing] = /comes from: (\w+)#/.exec(await problem.innerText()); // several tests fail; which is tried first is not said
    await page.locator('.markers-panel .monaco-list-row', { hasText: `${failing}.java` }).first().waitFor(); // it is a related location
    await problem.locator('a', { hasText: 'source-dependent-catch' }).click();
    const explained = page.frameLocator('iframe.webview').frameLocator('iframe#active-frame').locator('h2', { hasText: 'source-dependent-catch' });
    await until('its page, at its section', async () => { const box = await explained.boundingBox(); return box !== null && box.y > 0 && box.y < 500; });
    await vscode.screenshot('vscode-explained');
    await vscode.closeTab('diagnostics.md');
    lap(`problems view: the warning, the failing test, of ${failing}, and what the documentation says`);
    await page.keyboard.press('Control+J');

    await edits(vscode, lap, line, title, records);
    await chains(vscode, lap, line);
  });

  await vscode.watch('vscode-reload', async () => {
    const before = said(records).length, verdict = await steady(() => title(line + 1));
    await page.keyboard.press('Control+S');
    await page.reload();
    await page.locator('.monaco-workbench').waitFor();
    const workbench = Date.now();
    await page.locator('.editor-instance .view-line').first().waitFor();
    await until('the results after a reload', async () => (await vscode.lenses()).some(l => l.line === line + 1 && l.texts[0] === verdict), 120);
    lap(`results are there ${((Date.now() - workbench) / 1000).toFixed(1)} s after the reloaded workbench`);
    const after = said(records).slice(before);
    assert.ok(!after.some(m => m.from === 'client' && m.message.method === 'workspace/executeCommand'), 'nothing was run again');
    await page.locator('.editor-instance .squiggly-warning').first().waitFor();
    await vscode.screenshot('vscode-5-reloaded');
    await until('the first server has left in order', () => said(records).some(m => m.message.method === 'exit'));
  });
  await page.close();
  await settled(records);
  assertConformant(t, records, 2);
});

const ofPicture = {
  'editor.hover.above': false, 'editor.stickyScroll.enabled': false, 'editor.guides.indentation': false, 'editor.matchBrackets': 'never',
  'editor.fontSize': 13, 'workbench.activityBar.location': 'hidden',
};

/** The picture of the README: lenses, the verdict, the warning and its hover with the links, in a window of a page's width. */
async function picture(vscode, line) {
  const { page } = vscode, normal = page.viewportSize();
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 960, height: 830 });
  await page.keyboard.press('Control+B');
  await vscode.goTo(line + 60);
  await vscode.goTo(line + 11); // comes to the middle, so below the catch there is room for the whole hover
  await page.waitForTimeout(1500);
  await vscode.hover(line, 'catch', /Not tested: /);
  await page.waitForTimeout(700);
  const box = await page.locator('.monaco-resizable-hover:visible').first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height - 1, { steps: 8 }); // the hover's lower edge, down to the window's
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, 798, { steps: 8 });
  await page.mouse.up();
  await page.mouse.move(box.x + 60, box.y + 60, { steps: 4 });
  await page.waitForTimeout(700);
  const content = page.locator('.monaco-resizable-hover:visible .monaco-hover-content').first();
  const hidden = await content.evaluate(e => e.scrollHeight - e.parentElement.clientHeight);
  assert.ok(hidden <= 0, `${hidden} pixels of the hover are cut off`);
  await page.screenshot({ path: pictureFile('vscode.png') });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+B');
  await page.setViewportSize(normal);
}

/** A frame of another file of the example: Class.method:line. */
const elsewhere = /^(Checksum|Limited)InputStream\.\w+:\d+$/;

/** Clicks the link of a frame; its file opens at its line. Returns the file's name. */
async function follow({ page }, link) {
  const [, name, line] = /^(\w+)\.\w+:(\d+)$/.exec(await link.innerText());
  await link.click();
  await page.locator('.tab.active', { hasText: `${name}.java` }).waitFor();
  await until(`line ${line} of ${name}.java`, async () => (await page.locator('[id="status.editor.selection"]').innerText()).startsWith(`Ln ${line},`));
  return `${name}.java`;
}

/** What f returns once it has returned the same for two seconds: the lenses of a run's last step may still be on their way. */
async function steady(f) {
  let value = await f(), since = Date.now();
  await until('a steady lens', async () => {
    const now = await f();
    if (now !== value) [value, since] = [now, Date.now()];
    return Date.now() - since > 2000;
  });
  return value;
}

/** A line above moves the lens and keeps it true; an edit in the try marks it, and no other; saving keeps the results. */
async function edits(vscode, lap, line, title, records) {
  const { page } = vscode, verdict = await steady(() => title(line)), others = async () => (await vscode.lenses()).filter(l => l.texts[0].includes('stale')).map(l => l.line);
  const declaration = line - 11; // the method's first line
  await vscode.goTo(declaration);
  await page.keyboard.press('Home');
  await page.keyboard.type('// the line above\n');
  await until('the lens to move down', async () => await title(line + 1) === verdict);
  await until('no lens to stay behind', async () => await vscode.lensAt(line) === undefined);
  assert.deepEqual(await others(), []);
  await page.locator('.editor-instance .squiggly-warning').first().waitFor();
  await vscode.screenshot('vscode-edited-above');
  lap('an edit above moves the lens');

  await vscode.goTo(line - 1); // cache.remove(name), inside the try
  await page.keyboard.press('End');
  await page.keyboard.type(' list();');
  await until('the lens to turn stale', async () => (await title(line + 1)).endsWith('stale'));
  assert.deepEqual(await others(), [line + 1], 'only the edited try is stale');
  await until('its sign to be marked stale', async () => (await vscode.signs()).get(line + 1) === '▲~');
  await vscode.screenshot('vscode-edited-inside');
  for (let i = 0; i < ' list();'.length; i++) await page.keyboard.press('Backspace');
  await until('the lens to be as before', async () => await title(line + 1) === verdict);
  await until('the sign to be as before', async () => (await vscode.signs()).get(line + 1) === '▲');
  lap('an edit inside the try marks that catch stale, taking it back makes it current');

  const before = said(records).length;
  await page.keyboard.press('Control+S');
  await until('the server to compile and analyse what was saved', () => {
    const since = said(records).slice(before).map(e => e.message), saved = since.findIndex(m => m.method === 'textDocument/didSave');
    return saved >= 0 && since.slice(saved).some(m => m.method === 'catchlens/status' && m.params.activity === 'compiling')
      && since.slice(saved).findLast(m => m.method === 'catchlens/status').params.activity === '';
  }, 120);
  await until('the lens after saving', async () => await title(line + 1) === verdict, 30);
  assert.deepEqual(await others(), []);
  lap('saving the line above keeps the results');
}

/** A click on the lens opens every link with its chains, readable, with links to the sources. */
async function chains(vscode, lap, line) {
  const { page } = vscode;
  await vscode.clickLens(line + 1, (await vscode.lensAt(line + 1)).texts[0]);
  await page.locator('.tab.active', { hasText: /Preview.*chains|chains.*Preview/ }).waitFor();
  const preview = page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
  await preview.locator('h1', { hasText: /catch \(IOException\)/ }).waitFor();
  await vscode.screenshot('vscode-chains');
  const name = await follow(vscode, preview.locator('li a', { hasText: elsewhere }).first());
  lap('chains open as a page; its links open the sources');
  for (const tab of [name, 'chains.md']) await vscode.closeTab(tab);
  await page.locator('.tab.active', { hasText: 'FileStore.java' }).waitFor();
}
