// Drives VS Code: code-server with the extension installed from its .vsix, shown
// in Chromium.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium as playwright } from 'playwright-core';
import {
  cacheIn, chromium, codeServer, emptyCacheIn, finallyDo, out, recorded, repository, until,
} from './environment.mjs';

const extension = join(repository, 'vscode-extension');

/** The packaged extension. `make vsix` makes it; it must not be older than its parts. */
export function vsix() {
  const file = join(extension, 'catchlens.vsix');
  assert.ok(existsSync(file), `${file} is not there: run make vsix`);
  const newest = readdirSync(join(extension, 'src')).map(f => statSync(join(extension, 'src', f)).mtimeMs).reduce((a, b) => Math.max(a, b));
  assert.ok(statSync(file).mtimeMs > newest, `${file} is older than vscode-extension/src: run make vsix`);
  return file;
}

/** Settings that keep VS Code quiet and the same on every machine. */
const quiet = {
  'workbench.startupEditor': 'none', 'workbench.tips.enabled': false, 'workbench.enableExperiments': false,
  'workbench.colorTheme': 'Default Light Modern', 'window.commandCenter': false, 'chat.commandCenter.enabled': false,
  'telemetry.telemetryLevel': 'off', 'update.mode': 'none', 'extensions.autoUpdate': false, 'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true, 'git.enabled': false, 'editor.minimap.enabled': false, 'files.autoSave': 'off', 'editor.hover.delay': 100,
  'editor.fontFamily': "'DejaVu Sans Mono'", 'workbench.layoutControl.enabled': false,
};

/**
 * Starts VS Code and opens a page on a folder or a .code-workspace file.
 *
 * options.records    folder for what the server says; absent: it is started as a user's is
 * options.settings   added to the user settings
 * options.trust      true: VS Code asks whether the folder is trusted; absent: everything is
 * options.extensions further .vsix files
 * options.env        added to the environment of the extension host
 * options.first      true: it is the first time that the user starts catchlens
 */
export async function openVSCode(t, folder, open, options = {}) {
  const data = join(folder, 'vscode'), extensions = join(folder, 'extensions'), config = join(folder, 'code-server.yaml');
  writeFileSync(config, 'auth: none\n');
  const base = ['--user-data-dir', data, '--extensions-dir', extensions, '--config', config];
  for (const file of [vsix(), ...options.extensions ?? []]) execFileSync(codeServer(), [...base, '--install-extension', file], { stdio: 'pipe' });
  const installed = readdirSync(extensions).find(f => f.startsWith('catchlens.catchlens-'));
  assert.ok(installed, 'the extension is installed');
  const server = process.env.CATCHLENS ?? join(extensions, installed, 'bin', 'catchlens');
  const settings = { ...quiet, 'catchlens.cacheDir': (options.first ? emptyCacheIn : cacheIn)(folder) };
  if (process.env.CATCHLENS) settings['catchlens.server.path'] = server;
  if (options.records !== undefined) {
    const [path, ...args] = recorded(options.records, server, 'lsp');
    Object.assign(settings, { 'catchlens.server.path': path, 'catchlens.server.arguments': args });
  }
  saveSettings(data, { ...settings, ...options.settings });

  const url = await serve(t, [...base, '--bind-addr', '127.0.0.1:0', '--auth', 'none', '--disable-telemetry', '--disable-update-check',
    '--disable-getting-started-override', ...options.trust ? [] : ['--disable-workspace-trust']], options.env);
  const browser = await playwright.launchPersistentContext(join(folder, 'chromium'), {
    executablePath: chromium(), headless: true, viewport: { width: 1280, height: 800 },
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
  finallyDo(t, () => browser.close());
  const page = browser.pages()[0] ?? await browser.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${url}/?${open.endsWith('.code-workspace') ? 'workspace' : 'folder'}=${encodeURIComponent(open)}`);
  await page.locator('.monaco-workbench').waitFor();
  return new VSCode(page);
}

/**
 * Writes the user's settings to where VS Code keeps them. The window is one of a remote machine:
 * what has the scope of a machine is that machine's, and holds elsewhere only until VS Code
 * knows the scope.
 */
function saveSettings(data, settings) {
  const { configuration } = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8')).contributes;
  const ofMachine = name => configuration.some(c => c.properties[name]?.scope === 'machine');
  for (const [folder, wanted] of [['Machine', ofMachine], ['User', name => !ofMachine(name)]]) {
    mkdirSync(join(data, folder), { recursive: true });
    writeFileSync(join(data, folder, 'settings.json'), JSON.stringify(Object.fromEntries(Object.entries(settings).filter(([name]) => wanted(name))), null, 2));
  }
}

/** Starts code-server and returns where it listens. */
async function serve(t, args, env) {
  const environment = { ...process.env, ...env };
  delete environment.VSCODE_IPC_HOOK_CLI; // of a VS Code that these tests may be started from
  const child = spawn(codeServer(), args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  finallyDo(t, async () => {
    try { process.kill(-child.pid, 'SIGTERM'); } catch { return; }
    await Promise.race([new Promise(r => child.exitCode === null ? child.once('exit', r) : r()), new Promise(r => setTimeout(r, 10_000).unref())]);
    try { process.kill(-child.pid, 'SIGKILL'); } catch { /* all have gone */ }
  });
  let log = '';
  return new Promise((resolve, reject) => {
    const on = bytes => {
      log += bytes;
      const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(log);
      if (found) resolve(found[1]);
    };
    child.stdout.on('data', on);
    child.stderr.on('data', on);
    child.once('exit', code => reject(new Error(`code-server ended with ${code}:\n${log}`)));
  });
}

export class VSCode {
  constructor(page) {
    this.page = page;
  }

  /** Runs steps; keeps a picture of the window if one fails. */
  async watch(name, steps) {
    try {
      await steps();
    } catch (e) {
      await this.page.screenshot({ path: join(out, `${name}-failed.png`) }).catch(() => {});
      throw e;
    }
  }

  screenshot(name) { return this.page.screenshot({ path: join(out, `${name}.png`) }); }

  /**
   * Opens the input at the top by a key, fills it, and does what comes next with it. It is opened
   * again where nothing opens, or closes before that is done: a page that is being drawn takes the
   * focus, and the key with it.
   */
  async quickInput(key, text, next) {
    const input = this.page.locator('.quick-input-widget input');
    for (let times = 1; ; times++) {
      await this.page.keyboard.press(key);
      try {
        await input.fill(text, { timeout: 10_000 });
        await next?.();
        return;
      } catch (e) {
        if (times === 3) throw e;
      }
    }
  }

  async openFile(name) {
    await this.page.locator('.part.sidebar .monaco-list-row').first().waitFor(); // of any view
    await this.quickInput('Control+P', name);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.locator('.monaco-editor .view-line', { hasText: 'class' }).first().waitFor();
  }

  async closeTab(name) {
    const tab = this.page.locator('.tab', { hasText: name }).first();
    await tab.hover();
    await tab.locator('.codicon-close').click();
    await tab.waitFor({ state: 'detached' });
  }

  /** Puts the cursor into a line (1-based) and shows it. */
  async goTo(line, column = 1) {
    await this.quickInput('Control+G', `:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  async command(title) {
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    await this.quickInput('F1', `>${title}`, () => row.click({ timeout: 10_000 }));
  }

  /**
   * The lenses that are on the screen, from top to bottom: their texts, and the
   * line number of the first line of code below each.
   */
  lenses() {
    return this.page.evaluate(() => {
      const top = e => e.getBoundingClientRect().top, text = e => (e.textContent ?? '').replaceAll('\u00a0', ' ');
      const editor = document.querySelector('.editor-instance .monaco-editor');
      if (editor === null) return [];
      const numbers = [...editor.querySelectorAll('.margin-view-overlays .line-numbers')].map(e => ({ top: top(e), number: Number(text(e)) }));
      return [...editor.querySelectorAll('.codelens-decoration')].filter(e => e.querySelector('a') !== null).map(e => {
        const below = numbers.filter(n => n.top > top(e)).sort((a, b) => a.top - b.top)[0];
        return { line: below?.number ?? 0, texts: [...e.querySelectorAll('a')].map(text) };
      }).sort((a, b) => a.line - b.line);
    });
  }

  async lensAt(line) { return (await this.lenses()).find(l => l.line === line); }

  /** The signs of catches beside the code: by line number, as Neovim shows them. */
  async signs() {
    const found = await this.page.evaluate(() => {
      const top = e => e.getBoundingClientRect().top, editor = document.querySelector('.editor-instance .monaco-editor');
      if (editor === null) return [];
      const numbers = [...editor.querySelectorAll('.margin-view-overlays .line-numbers')].map(e => ({ top: top(e), number: Number(e.textContent) }));
      return [...editor.querySelectorAll('.glyph-margin-widgets .cgmr')].flatMap(e => {
        const image = /base64,([^"]*)/.exec(getComputedStyle(e).backgroundImage) ?? /base64,([^"]*)/.exec(getComputedStyle(e, '::before').backgroundImage);
        const line = numbers.find(n => Math.abs(n.top - top(e)) < 3)?.number;
        return image === null || line === undefined ? [] : [[line, atob(image[1])]];
      });
    });
    const shapes = [['M8 2 ', '▲'], ['M8 1.5', '◆'], ['r="5.2"', '○'], ['M5.2', '?'], ['M2.8', '✓'], ['r="2.2"', '·']];
    return new Map(found.map(([line, svg]) => [line, shapes.find(([part]) => svg.includes(part))?.[1] + (svg.includes('scale(') ? '~' : '')]));
  }

  /** Clicks the lens with this text above a line. */
  async clickLens(line, wanted) {
    await until(`the lens "${wanted}" above line ${line}`, async () => (await this.lensAt(line))?.texts.includes(wanted));
    const at = await this.page.evaluate(([line, wanted]) => {
      const top = e => e.getBoundingClientRect().top;
      const editor = document.querySelector('.editor-instance .monaco-editor');
      const number = [...editor.querySelectorAll('.margin-view-overlays .line-numbers')].find(e => Number(e.textContent) === line);
      const above = [...editor.querySelectorAll('.codelens-decoration')].filter(e => top(e) < top(number)).sort((a, b) => top(b) - top(a))[0];
      const box = [...above.querySelectorAll('a')].find(a => a.textContent === wanted)?.getBoundingClientRect();
      return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }, [line, wanted]);
    await this.page.mouse.click(at.x, at.y); // at a place: a refresh may put another element there at any moment
  }

  /** The middle of a word in a visible line, in pixels of the page. */
  word(line, word) {
    return this.page.evaluate(([line, word]) => {
      const top = e => e.getBoundingClientRect().top;
      const editor = document.querySelector('.editor-instance .monaco-editor');
      const number = [...editor.querySelectorAll('.margin-view-overlays .line-numbers')].find(e => Number(e.textContent) === line);
      const code = [...editor.querySelectorAll('.view-line')].find(e => number !== undefined && Math.abs(top(e) - top(number)) < 3);
      if (code === undefined) return null;
      const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const at = node.data.indexOf(word);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        const box = range.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      }
      return null;
    }, [line, word]);
  }

  /** Hovers a word until a hover with a text is there; one that was taken away by a change of the editor is asked for again. */
  async hover(line, word, text) {
    const hover = this.page.locator('.monaco-hover:visible', { hasText: text }).first();
    for (let left = 6; ; left--) {
      await this.page.mouse.move(5, 5);
      const at = await until(`${word} in line ${line} on the screen`, () => this.word(line, word));
      await this.page.mouse.move(at.x, at.y, { steps: 4 });
      try {
        await hover.waitFor({ timeout: 10_000 });
        return hover;
      } catch (e) {
        if (left === 1) throw e;
      }
    }
  }

  /**
   * Takes a code action at a place, 1-based. VS Code lays something over the list of actions
   * until the mouse has moved.
   */
  async action(line, column, title) {
    await this.goTo(line, column);
    await this.page.keyboard.press('Control+.');
    const row = this.page.locator('.action-widget .monaco-list-row', { hasText: title }).first();
    await row.waitFor();
    const box = await row.boundingBox();
    await this.page.mouse.move(box.x + 20, box.y + 2);
    await this.page.mouse.move(box.x + 40, box.y + box.height / 2, { steps: 4 });
    await this.page.mouse.click(box.x + 40, box.y + box.height / 2);
    await row.waitFor({ state: 'hidden' });
  }

  /** What the status item of catchlens says. */
  async status() {
    const item = this.page.locator('.statusbar-item[id="catchlens.catchlens.catchlens.status"], .statusbar-item[id*="catchlens.status"]').first();
    return await item.count() === 0 ? undefined : { text: (await item.innerText()).trim(), label: await item.locator('[aria-label]').first().getAttribute('aria-label') };
  }

  notification(text) { return this.page.locator('.notification-toast, .notification-list-item', { hasText: text }).first(); }
}
