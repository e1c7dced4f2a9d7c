// Signs beside the code: one for each kind, where the catch stands in the text that is shown.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test, { afterEach } from 'node:test';
import { Catch, CatchList } from '../src/catches';
import { Gutter } from '../src/gutter';
import { CatchStore } from '../src/list';
import { colorOf, Declared, drawn, marks } from '../src/marks';
import { activeColorTheme, configuration, configurationChanges, Decorated, editorChanges, visibleTextEditors } from './vscode';

const declared = (JSON.parse(readFileSync('package.json', 'utf8')) as { contributes: { colors: Declared[] } }).contributes.colors;

let gutter: Gutter | undefined;

afterEach(() => {
  gutter?.dispose();
  configuration.clear();
  visibleTextEditors.length = 0;
});

function make(kind: string, line: number, more: Partial<Catch> = {}): Catch {
  return {
    id: `${kind} ${String(line)}`, uri: 'file:///p/A.java', version: 1, range: { start: { line, character: 4 }, end: { line, character: 9 } }, file: 'A.java', method: 'A.m',
    exceptions: [], kind, group: '', verdict: '', title: '', tested: 0, failures: 0, unpredicted: 0, look: false, stale: false, running: false, runnable: true, ...more,
  };
}

/** Signs of an editor by line: the shape as it is drawn. */
function signs(editor: Decorated): string[] {
  const shapes = { triangle: 'M8 2 ', diamond: 'M8 1.5', circle: 'r="5.2"', question: 'M5.2', check: 'M2.8', dot: 'r="2.2"' };
  return [...editor.decorations].flatMap(([type, ranges]) => {
    const svg = Buffer.from(type.options.gutterIconPath.path.split('base64,')[1], 'base64').toString();
    const shape = Object.entries(shapes).filter(([, part]) => svg.includes(part)).map(([name]) => name).join('+');
    return ranges.map(r => `${String(r.start.line)} ${shape}${svg.includes('scale') ? ' stale' : ''}`);
  }).sort();
}

async function show(lists: CatchList[], editors: Decorated[]): Promise<{ store: CatchStore; next: () => Promise<void> }> {
  const store = new CatchStore(() => Promise.resolve(lists.shift() ?? { analysed: false, catches: [] }));
  visibleTextEditors.push(...editors);
  gutter = new Gutter(store, declared);
  const next = async (): Promise<void> => {
    store.refresh();
    await new Promise(r => { setImmediate(r); });
  };
  await next();
  return { store, next };
}
const of = (...catches: Catch[]): CatchList => ({ analysed: true, catches });

test('each kind that tells something has its shape; a stale one is marked; of two in a line the worse is shown', async () => {
  const a = new Decorated('file:///p/A.java'), other = new Decorated('file:///p/B.java'), text = new Decorated('file:///p/A.txt', 'plaintext');
  await show([of(make('depends', 1), make('copes', 1), make('unpredicted', 2), make('untested', 3), make('faults', 4), make('unknown', 5), make('not-run', 6),
    make('copes', 7, { stale: true }), make('accepted', 8))], [a, other, text]);
  assert.deepEqual(signs(a), ['1 triangle', '2 diamond', '3 circle', '4 circle', '5 question', '7 check stale', '8 dot']);
  assert.deepEqual([signs(other), text.calls], [[], 0]);
});

test('signs are those of the text that is shown, and only what differs is drawn', async () => {
  const a = new Decorated('file:///p/A.java');
  const first = of(make('depends', 1), make('copes', 5)), moved = of(make('depends', 2, { version: 2 }), make('copes', 6, { version: 2 }));
  const { next, store } = await show([first, of(make('depends', 1), make('untested', 5)), moved, moved], [a]);
  const calls = a.calls;
  editorChanges.fire(undefined);
  assert.equal(a.calls, calls, 'what is shown already is not drawn again');
  await next();
  assert.deepEqual([signs(a), a.calls - calls], [['1 triangle', '5 circle'], 2], 'the triangle is left alone');
  await next();
  assert.deepEqual(signs(a), ['1 triangle', '5 circle'], 'places of another text are not shown');
  a.document.version = 2;
  editorChanges.fire(undefined);
  assert.deepEqual(signs(a), ['2 triangle', '6 check']);
  store.empty('failed');
  assert.deepEqual(signs(a), [], 'without a server nothing is said');
});

test('the setting turns signs off and on', async () => {
  const a = new Decorated('file:///p/A.java');
  configuration.set('catchlens.gutter', false);
  await show([of(make('depends', 1))], [a]);
  assert.deepEqual(signs(a), []);
  configuration.set('catchlens.gutter', true);
  configurationChanges.fire('catchlens.gutter');
  assert.deepEqual(signs(a), ['1 triangle']);
  configuration.set('catchlens.gutter', false);
  configurationChanges.fire('catchlens.gutter');
  assert.deepEqual(signs(a), []);
});

test('the colour is what the user says for the theme, then for all, then the manifest\'s of that kind of theme', async () => {
  const color = (customized?: unknown): string => colorOf('catchlens.depends', 'light', 'Quiet (Light)', customized, declared);
  const usual = declared.find(c => c.id === 'catchlens.depends')?.defaults.light;
  assert.equal(color(), usual);
  assert.equal(color({ 'catchlens.depends': '#123456' }), '#123456');
  assert.equal(color({ 'catchlens.depends': '#123456', '[Quiet (Light)]': { 'catchlens.depends': '#abc' } }), '#abc');
  assert.equal(color({ '[Loud][Quiet*]': { 'catchlens.depends': '#abcdef80' } }), '#abcdef80');
  assert.equal(color({ '[Quiet]': { 'catchlens.depends': '#abc' } }), usual, 'another theme');
  assert.equal(color({ 'catchlens.depends': 'red"/><script>' }), usual, 'only a colour is written into an image');
  for (const m of Object.values(marks)) assert.ok(declared.some(c => c.id === m?.color), m?.color);
  assert.ok(!drawn('check', true, '#123').includes('currentColor'));

  const a = new Decorated('file:///p/A.java');
  activeColorTheme.kind = 3;
  await show([of(make('copes', 1))], [a]);
  activeColorTheme.kind = 1;
  const [type] = a.decorations.keys();
  const image = Buffer.from(type.options.gutterIconPath.path.split('base64,')[1], 'base64').toString();
  assert.ok(image.includes(declared.find(c => c.id === 'catchlens.copes')?.defaults.highContrast ?? '?'), image);
});
