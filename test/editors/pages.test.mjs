// The pages that commands write, in a browser: what people with a screen reader, with a keyboard alone or
// with little sight for colours need of them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';
import { chromium as playwright } from 'playwright-core';
import { cacheIn, catchlens, chromium, finallyDo, jdk, out, temporary, until } from './lib/environment.mjs';
import { filedrop, storeCatch } from './lib/filedrop.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core');

/** Writes a page by a command line and returns its file. */
function written(folder, name, ...command) {
  const file = join(folder, name);
  execFileSync(catchlens(), [...command, '--cache', cacheIn(folder), '-o', file], { stdio: 'pipe' });
  return file;
}

/** What axe-core finds wrong in a page, each with the first element of which it is. */
async function violations(page) {
  await page.addScriptTag({ path: axe });
  const { violations, passes } = await page.evaluate(() => globalThis.axe.run());
  assert.ok(passes.length > 10, `axe-core looked at ${passes.length} things only`);
  return violations.map(v => `${v.id}: ${v.nodes.length} times, first ${v.nodes[0].html.slice(0, 120)}`);
}

/** The number that the browser counts for a line, which it tells to who asks what stands in the page. */
async function shownNumber(page, line) {
  await line.evaluate(e => { e.setAttribute('data-asked', ''); });
  const client = await page.context().newCDPSession(page);
  const { root } = await client.send('DOM.getDocument');
  const { nodeId } = await client.send('DOM.querySelector', { nodeId: root.nodeId, selector: '[data-asked]' });
  const { nodes } = await client.send('Accessibility.queryAXTree', { nodeId, role: 'StaticText' });
  await client.detach();
  return Number(nodes[0].name.value);
}

test('pages can be read by all', { timeout: 600_000 }, async t => {
  const folder = temporary(t), project = filedrop(folder), at = storeCatch(project);
  const run = ['run', project, '--catch', `${at.file}:${at.line + 1}`, '--quiet', '--cache', cacheIn(folder)];
  execFileSync(catchlens(), run, { stdio: 'pipe' });
  const recursive = join(folder, 'recursive'), source = join(recursive, 'src', 'p', 'C.java');
  mkdirSync(join(source, '..'), { recursive: true });
  writeFileSync(source, `package p;

public class C {
    public static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
    private static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
}
`);
  execFileSync(join(jdk(17), 'bin', 'javac'), ['-g', '--release', '17', '-d', join(recursive, 'classes'), source]);
  const pages = {
    report: written(folder, 'report.html', 'report', project),
    chains: written(folder, 'chains.html', 'chains', project, '--component', 'filedrop', '--k', '1', '--format', 'html'),
    tested: written(folder, 'tested.html', 'chains', project, '--run', '--k', '3', '--format', 'html', '--quiet'),
    recursive: written(folder, 'recursive.html', 'chains', recursive, '--recursion', 'backedge',
      '--entry-points', 'public', '--format', 'html'),
    coverage: written(folder, 'coverage.html', 'coverage', project, '--format', 'html', '--quiet'),
  };
  const browser = await playwright.launch({ executablePath: chromium(), args: ['--no-sandbox', '--disable-gpu'] });
  finallyDo(t, () => browser.close());
  for (const [name, file] of Object.entries(pages)) {
    for (const colorScheme of ['light', 'dark']) {
      await t.test(`${name} in ${colorScheme}`, async () => {
        const page = await browser.newPage({ colorScheme });
        await page.goto(`file://${file}`);
        // What is folded is opened; of the report, what is first to do and the file whose catch was run; of
        // coverage, which shows one thing at a time, a file after what is there first.
        if (name === 'coverage') {
          assert.deepEqual(await violations(page), []);
          await page.locator('nav a', { hasText: 'FileStore.java' }).click();
          await page.locator('section.file:visible .src p.hit').first().waitFor();
        }
        await page.evaluate(() => {
          const file = [...document.querySelectorAll('section.file')].find(s => s.querySelector('h2').textContent.includes('FileStore.java'));
          for (const part of [document.querySelector('#trees'), file, ...document.querySelectorAll('.part')]) {
            for (const d of part?.querySelectorAll('details') ?? []) d.open = true;
            if (part?.matches('details')) part.open = true;
          }
        });
        assert.deepEqual(await violations(page), []);
        await page.close();
      });
    }
  }
  await t.test('report by keyboard', async () => {
    const page = await browser.newPage();
    await page.goto(`file://${pages.report}`);
    // From the start Tab comes to the field that filters; what is typed leaves the files that have it.
    await page.keyboard.press('Tab');
    await page.keyboard.type('filestore.java');
    const files = () => page.locator('section.file:visible h2').allTextContents();
    assert.ok((await files()).length > 0 && (await files()).every(f => f.includes('FileStore')), `${await files()}`);
    assert.match(await page.locator('#found').textContent(), /^\d+ of \d+ catches$/);
    // Enter opens the lens that has the focus.
    const lens = page.locator('details.lens:visible > summary').first();
    await lens.focus();
    await page.keyboard.press('Enter');
    assert.ok(await lens.evaluate(e => e.parentElement.open));
    assert.ok(await page.locator('details.lens[open] .card').first().isVisible());
    await page.close();
  });
  await t.test('call chains are chosen by words and calls', async () => {
    const page = await browser.newPage();
    await page.goto(`file://${pages.chains}`);
    const found = async () => Number(/^(\d+) chains?$/.exec(await page.locator('#found').textContent())[1]);
    const rows = () => page.locator('#trees li:visible').count();
    const all = await found();
    await page.locator('#calls').selectOption('0');
    assert.equal(await found(), await page.locator('#trees > li:visible').count(), 'entry methods alone');
    await page.locator('#calls').selectOption('1');
    assert.equal(await found(), all);
    await page.keyboard.press('Shift+Tab');
    await page.locator('#find').fill('dropclient.list WRITELINE');
    await page.getByRole('button', { name: 'Open all' }).click();
    const some = await found();
    assert.ok(some > 0 && some < all && await rows() > some, `${some} of ${all}, with what they begin with`);
    const target = await page.locator('#trees a:visible').first().getAttribute('href');
    assert.match(target, /^file:.*\/DropClient\.java#L\d+$/);
    await page.locator('#find').fill('nothing is named so');
    assert.deepEqual([await found(), await rows()], [0, 0]);
    await page.close();
  });
  await t.test('call chains are chosen by tests', async () => {
    const page = await browser.newPage();
    await page.goto(`file://${pages.tested}`);
    const only = page.locator('#only'), rows = page.locator('#trees li:not(.hidden)');
    const found = async (state, words) => {
      await only.selectOption(state);
      await page.locator('#find').fill(words);
      return Number(/^(\d+) chains?$/.exec(await page.locator('#found').textContent())[1]);
    };
    const all = await found('all', ''), bad = await found('bad', ''), good = await found('good', '');
    assert.ok(bad > 0 && good > 0 && bad + good === all, `${bad} untested and ${good} tested of ${all}`);
    assert.equal(all, await page.locator('#trees li').count());
    assert.equal(await rows.count(), good, 'what a test takes begins with what it takes');
    assert.ok(await rows.evaluateAll(list => list.every(li => !li.classList.contains('bad'))));
    // Each test finds what it takes, also where the mark names another one; words of marks find nothing.
    const named = await page.evaluate(() => {
      const names = JSON.parse(document.getElementById('tests').textContent);
      const tests = [...document.querySelectorAll('#trees li')].map(li => li.dataset.tests?.split(' ') ?? []);
      return names.map((name, i) => [name, tests.filter(list => list.includes(String(i))).length]);
    });
    const whole = named.filter(([name]) => !named.some(([other]) => other !== name && other.includes(name)));
    assert.ok(whole.length > 1);
    for (const [name, n] of whole) assert.equal(await found('all', name), n, name);
    for (const word of ['untested', 'takes']) assert.equal(await found('all', word), 0, word);
    await page.close();
  });
  await t.test('edges back are no call chains', async () => {
    const page = await browser.newPage();
    await page.goto(`file://${pages.recursive}`);
    assert.ok(await page.locator('#trees li.back').count() > 0);
    const chains = await page.locator('#trees li:not(.back)').count();
    assert.equal(await page.locator('#found').textContent(), `${chains} chains`);
    await page.getByRole('button', { name: 'Open all' }).click();
    assert.equal(await page.locator('#trees li.back:visible').count(), await page.locator('#trees li.back').count());
    await page.locator('#find').fill('nothing is named so');
    assert.equal(await page.locator('#trees li:visible').count(), 0, 'they follow their chain');
    await page.close();
  });
  await t.test('links are made when they are opened, and found before', async () => {
    const page = await browser.newPage();
    await page.goto(`file://${pages.report}`);
    const found = async words => {
      await page.locator('#filter').fill(words);
      return Number(/^\d+/.exec(await page.locator('#found').textContent())?.[0] ?? 0);
    };
    // A method that only chains name finds their catches, an exception in full those that it comes to.
    const all = await page.locator('details.lens').count(), deleting = await found('Files.delete');
    assert.ok(deleting > 0 && deleting < all, `${deleting} of ${all}`);
    const closed = await found('java.io.EOFException');
    assert.ok(closed > 0 && closed < all, `${closed} of ${all}`);
    assert.equal(await found('Files.noSuchMethod'), 0);
    assert.ok(await found('FileStore.java IOException') > 0);
    const id = await page.locator('details.lens:visible').first().getAttribute('id');
    const lens = page.locator(`[id="${id}"]`), links = lens.locator('details.links');
    await lens.locator(':scope > summary').focus();
    await page.keyboard.press('Enter');
    assert.equal(await links.locator('li').count(), 0);
    await links.locator('summary').focus();
    await page.keyboard.press('Enter');
    const chain = links.locator('.chain', { has: page.locator('a') }).first();
    await chain.waitFor();
    assert.match(await chain.textContent(), /^\S+:\d+( → \S+)*/);
    // Once more they are there already.
    const links0 = await links.locator('li').count();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    assert.equal(await links.locator('li').count(), links0);
    // A frame leads to its line, which the page shows with its number, though it showed catches alone.
    assert.equal(await page.locator('.src > p:visible').count(), 0);
    const frame = chain.locator('a').first(), line = Number(/:(\d+)$/.exec(await frame.textContent())[1]);
    await frame.click();
    const target = page.locator('.src > p:target');
    assert.equal(await target.count(), 1);
    assert.ok(await target.isVisible());
    assert.equal(await shownNumber(page, target), line);
    assert.ok(await target.evaluate(e => {
      const at = e.getBoundingClientRect();
      return at.top >= 0 && at.bottom <= globalThis.innerHeight;
    }));
    assert.equal(await page.locator('#filter').inputValue(), '');
    await page.screenshot({ path: join(out, 'report-links.png') });
    await page.close();
  });
  await t.test('a link that was not predicted is found by its place', async () => {
    // No run of this project has one: the data are given one as package linkdata writes it, behind all others.
    const report = readFileSync(pages.report, 'utf8'), file = join(folder, 'unpredicted.html');
    const [, id] = /<details class="lens" id="([^"]+)"/.exec(report);
    const link = [['good', 'experienced by p.T#m, not predicted', 'explicit', '', ''], 'Plugin.inner:5', 0];
    const lines = [{ catch: id }, 'p.Unseen', link].map(l => JSON.stringify(l)).join('\n');
    writeFileSync(file, report.replace('\n</script>', () => `\n${lines}\n</script>`));
    const page = await browser.newPage();
    await page.goto(`file://${file}`);
    await page.locator('#filter').fill('Plugin.inner');
    assert.match(await page.locator('#found').textContent(), /^1 of \d+ catches$/);
    await page.close();
  });
  await t.test('coverage by keyboard', async () => {
    const page = await browser.newPage();
    await page.goto(`file://${pages.coverage}`);
    // n goes to what is missed first, Enter names its tests and ways, and Escape comes back to the line.
    const panel = page.locator('#panel'), line = () => page.evaluate(() => globalThis.document.activeElement.closest('p')?.className);
    const title = page.locator('section.file:visible h2'), at = page.locator('.src button:focus');
    await page.keyboard.press('n');
    await at.waitFor();
    assert.match(await line(), /^(missed|part)$/);
    await page.keyboard.press('Enter');
    const first = await panel.locator('h2').textContent();
    assert.match(first, /\.java:\d+, /);
    await page.keyboard.press('n');
    await until('the next line', async () => await panel.locator('h2').textContent() !== first);
    await page.keyboard.press('Escape');
    assert.ok(await panel.isHidden());
    assert.match(await line(), /^(missed|part)$/);
    // It goes on into the next file; j comes to lines of all files, and k and p come back.
    const files = await page.locator('nav li').count(), opened = new Set([await title.textContent()]);
    for (const key of ['n', 'p', 'j', 'k']) {
      const from = await title.textContent();
      for (let i = 0; i < 2000 && await title.textContent() === from; i++) await page.keyboard.press(key);
      await until(`another file by ${key}`, async () => await title.textContent() !== from);
      opened.add(await title.textContent());
    }
    assert.ok(files > 2 && opened.size >= 2, `${files} files, opened ${[...opened]}`);
    // The address names the line: who opens it comes there again.
    await at.waitFor();
    const place = await at.evaluate(e => `${e.path}:${e.line.n}`), other = await browser.newPage();
    await until('the address of the line', () => decodeURIComponent(page.url()).endsWith('#' + place));
    await other.goto(page.url());
    await other.locator('.src button:focus').waitFor();
    assert.equal(await other.locator('.src button:focus').evaluate(e => `${e.path}:${e.line.n}`), place);
    await other.close();
    // The first heading leads back to what there is in all.
    await page.locator('h1 a').click();
    await page.locator('table.packages').waitFor();
    assert.equal(await title.count(), 0);
    // Enter opens the first file that is found.
    await page.keyboard.press('/');
    await page.keyboard.type('FileStore');
    await page.keyboard.press('Enter');
    await title.waitFor();
    assert.ok((await title.textContent()).includes('FileStore'));
    const listed = await page.locator('nav li:visible a').allTextContents();
    assert.ok(listed.length > 0 && listed.length < files && listed.every(f => f.includes('FileStore')), `${listed}`);
    // A line that tests cover names as many of them as stand beside it.
    const covered = page.locator('.src p.hit button').first(), tests = Number(await covered.textContent());
    await covered.click();
    assert.ok(tests > 0 && await panel.locator('li').count() === tests);
    await page.screenshot({ path: join(out, 'coverage-page.png') });
    // What is looked for is in paths, not in what is said of them.
    await page.locator('#filter').fill('%');
    assert.match(await page.locator('#found').textContent(), /^0 of \d+ files$/);
    await page.close();
  });
  await t.test('coverage while a key is held', async () => {
    const page = await browser.newPage();
    // What browsers do where a page changes its address more than 100 times in half a minute.
    await page.addInitScript(() => {
      const replace = history.replaceState.bind(history);
      let changes = 0;
      history.replaceState = (...args) => {
        if (++changes > 100) throw new DOMException('The operation is insecure.', 'SecurityError');
        replace(...args);
      };
    });
    await page.goto(`file://${pages.coverage}`);
    for (let i = 0; i < 150; i++) await page.keyboard.press('j');
    const at = page.locator('.src button:focus');
    await at.waitFor();
    await until('the address of the line', async () => {
      const place = await at.evaluate(e => `${e.path}:${e.line.n}`);
      return decodeURIComponent(page.url()).endsWith('#' + place);
    });
    assert.equal(await page.locator('#found').textContent(), '');
    await page.close();
  });
  await t.test('coverage in a browser that cannot open it', async () => {
    const page = await browser.newPage();
    await page.addInitScript(() => { delete globalThis.DecompressionStream; });
    await page.goto(`file://${pages.coverage}`);
    await page.locator('nav a', { hasText: 'FileStore.java' }).click();
    const told = page.locator('#found', { hasText: 'browser is too old' });
    await told.waitFor();
    assert.ok(await page.locator('table.packages').isVisible());
    await page.close();
  });
  await t.test('a test finds its catch', async () => {
    const page = await browser.newPage();
    await page.goto(`file://${pages.report}`);
    const name = await page.locator('.tests div').first().evaluate(e => e.textContent.replace(/,.*/, ''));
    assert.match(name, /\w#\w/);
    await page.locator('#filter').fill(name);
    assert.match(await page.locator('#found').textContent(), /^[1-9]\d* of \d+ catches$/);
    await page.close();
  });
});
