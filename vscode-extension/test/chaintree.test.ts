// The tree of call chains: what the server is asked, what rows say, and what is opened.
import assert from 'node:assert/strict';
import test from 'node:test';
import { ChainAnswer, ChainRow } from '../src/callchains';
import { ChainTree, openMethod, PathRow } from '../src/chaintree';
import { Server } from '../src/requests';
import { opened, TreeItemCollapsibleState, views, window } from './vscode';

const at = (line: number): { uri: string; line: number } => ({ uri: 'file:///p/A.java', line });

function row(key: string, more: Partial<ChainRow> = {}): ChainRow {
  return {
    key, name: `A.${key}(int)`, detail: 'line 4 · untested', state: 'untested', tests: [], call: at(3), method: at(7),
    rows: [], left: false, ...more,
  };
}

function answer(rows: ChainRow[], more: Partial<ChainAnswer> = {}): ChainAnswer {
  return {
    pending: false, class: 'p/A', method: 'b(I)V', title: 'Call chains to A.b in p: 0 of 2 tested', notes: [],
    length: 4, ran: true, all: 2, tested: 0, rows, ...more,
  };
}

/** A tree, how the server answers, and what it was asked. */
interface Shown {
  tree: ChainTree;
  view: (typeof views)[number];
  asked: unknown[];
  errors: unknown[];
  answers: (answer: ChainAnswer | Error) => void;
}

function shown(): Shown {
  let next: ChainAnswer | Error = answer([]);
  const asked: unknown[] = [], errors: unknown[] = [];
  const server: Server = {
    ask: (_, params) => {
      asked.push(params);
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    follow: () => ({ dispose: () => undefined }), cancel: () => undefined,
  };
  const tree = new ChainTree(() => server, e => errors.push(e)), view = views.at(-1);
  assert.ok(view);
  return { tree, view, asked, errors, answers: a => { next = a; } };
}

const names = (rows: PathRow[]): string[] => rows.map(r => r.row.name);

test('a line of a method is asked for once, then the method by its name, with what is chosen', async () => {
  const { tree, view, asked, answers } = shown();
  answers(answer([row('open', { rows: [row('b')] })]));
  await tree.show('file:///p/A.java', 5, false);
  assert.deepEqual(asked.pop(), { textDocument: { uri: 'file:///p/A.java' }, line: 5, whole: false });
  assert.equal(view.message, 'Call chains to A.b in p: 0 of 2 tested.');
  await tree.only('untested');
  window.answer = ' lib  open ';
  answers(answer([], { all: 0 }));
  await tree.askFilter();
  window.choice = 'At most 2 calls';
  await tree.askCalls();
  const choice = { only: 'untested', filter: 'lib  open', calls: 2 };
  assert.deepEqual(asked.pop(), { class: 'p/A', method: 'b(I)V', whole: false, ...choice });
  assert.equal(view.description, 'only untested, at most 2 calls, with "lib  open"');
  assert.equal(view.message, 'Call chains to A.b in p: 0 of 2 tested. None matches the filter.');
  await tree.show('file:///p/A.java', 9, true);
  const other = { textDocument: { uri: 'file:///p/A.java' }, line: 9, whole: true, only: 'untested' };
  assert.deepEqual(asked.pop(), other, 'another method is not filtered');
});

test('rows that were left out are asked for where they are opened', async () => {
  const { tree, asked, answers } = shown();
  answers(answer([row('open', { rows: [row('middle', { left: true })] })]));
  await tree.show('file:///p/A.java', 5, false);
  const [open] = await tree.getChildren(), [middle] = await tree.getChildren(open);
  assert.equal(tree.getTreeItem(middle).collapsibleState, TreeItemCollapsibleState.Collapsed);
  answers(answer([row('b')]));
  assert.deepEqual(names(await tree.getChildren(middle)), ['A.b(int)']);
  assert.deepEqual(asked.pop(), { class: 'p/A', method: 'b(I)V', whole: false, below: ['open', 'middle'] });
});

test('a small tree is open, a large one is not until all is expanded', async () => {
  const { tree, answers } = shown();
  const rows = (n: number): ChainRow[] => [...Array(n).keys()].map(i => row(`m${String(i)}`, { rows: [row('b')] }));
  const state = async (): Promise<unknown> => tree.getTreeItem((await tree.getChildren())[0]).collapsibleState;
  answers(answer(rows(2)));
  await tree.show('file:///p/A.java', 5, false);
  assert.equal(await state(), TreeItemCollapsibleState.Expanded);
  answers(answer(rows(100)));
  await tree.show('file:///p/A.java', 6, false);
  assert.equal(await state(), TreeItemCollapsibleState.Collapsed);
  const [first] = await tree.getChildren(), before = tree.getTreeItem(first).id;
  tree.expandAll();
  assert.equal(await state(), TreeItemCollapsibleState.Expanded);
  assert.notEqual(tree.getTreeItem(first).id, before, 'VS Code forgets what was closed');
});

test('rows of an answer are counted once, not for each that is drawn', async () => {
  const { tree, answers } = shown();
  let read = 0;
  const counted = { get: () => { read++; return []; } };
  const rows = [...Array(200).keys()].map(i => Object.defineProperty(row(`m${String(i)}`), 'rows', counted));
  answers(answer(rows));
  await tree.show('file:///p/A.java', 5, false);
  for (const r of await tree.getChildren()) tree.getTreeItem(r);
  assert.ok(read <= 4 * rows.length, `${String(read)} reads of ${String(rows.length)} rows`);
});

test('where no run has recorded chains, the view names its own command', async () => {
  const { tree, view, answers } = shown();
  const title = 'Call chains to A.b in p: 2, not known which are tested';
  answers(answer([row('b', { state: 'unknown' })], { ran: false, title }));
  await tree.show('file:///p/A.java', 5, false);
  assert.equal(view.message, 'Call chains to A.b in p: 2, not known which are tested. '
    + 'No run has recorded yet which chains tests take: Run the Tests That Have Not Recorded Call Chains does.');
  answers(answer([], { ran: false, pending: true, title: 'The call chains are being found' }));
  await tree.refresh();
  assert.equal(view.message, 'The call chains are being found.');
});

test('a row opens its call, and has its tests and words for a screen reader', async () => {
  const { tree, answers } = shown();
  const tests = [...Array(14).keys()].map(n => `ATest#b${String(n)}`);
  answers(answer([row('b', { state: 'tested', detail: 'line 4 · tested by ATest#b and 13 more', tests })]));
  await tree.show('file:///p/A.java', 5, false);
  const [b] = await tree.getChildren(), item = tree.getTreeItem(b);
  assert.equal(item.accessibilityInformation?.label, 'A.b(int), line 4, tested by ATest#b and 13 more');
  assert.match(item.tooltip as string, /\nATest#b11\nand 2 more tests$/);
  assert.equal(String((item.command?.arguments as { toString: () => string }[])[0]), 'file:///p/A.java');
  await openMethod(b);
  assert.deepEqual(opened, ['file:///p/A.java:7']);
});

test('what cannot be shown is told, and what was shown stays; what is gone is shown no more', async () => {
  const { tree, view, asked, errors, answers } = shown();
  answers(answer([row('b')]));
  await tree.show('file:///p/A.java', 5, false);
  answers(new Error('no method in this line'));
  await tree.show('file:///p/A.java', 1, false);
  assert.equal(errors.length, 1);
  assert.deepEqual(names(await tree.getChildren()), ['A.b(int)']);
  answers(answer([row('c')]));
  await tree.refresh();
  assert.deepEqual(asked.pop(), { class: 'p/A', method: 'b(I)V', whole: false });
  assert.deepEqual(names(await tree.getChildren()), ['A.c(int)']);
  view.visible = false;
  await tree.refresh();
  assert.equal(asked.length, 2, 'nothing is asked for while nobody sees it');
  view.visible = true;
  answers(new Error('the class is not known any more'));
  await tree.refresh();
  assert.deepEqual([await tree.getChildren(), view.message], [[], '']);
});
