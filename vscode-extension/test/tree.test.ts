// The tree of catches: which of its rows are drawn anew, and what a row holds that is drawn late.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Memento } from 'vscode';
import { Catch } from '../src/catches';
import { CatchStore } from '../src/list';
import { CatchTree, Row } from '../src/tree';
import { make } from './catch';

const memory: Memento = { keys: () => [], get: () => undefined, update: () => Promise.resolve() };

/** A tree, how the server gives it another list, and what it has told VS Code to draw anew. */
function shown(): { tree: CatchTree; list: (...catches: Catch[]) => Promise<void>; fired: (Row[] | undefined)[] } {
  let catches: Catch[] = [];
  const store = new CatchStore(() => Promise.resolve({ analysed: true, catches })), tree = new CatchTree(store, memory), fired: (Row[] | undefined)[] = [];
  tree.onDidChangeTreeData(rows => fired.push(rows));
  return {
    tree, fired,
    list: async (...now) => {
      catches = now;
      const changed = new Promise<void>(r => { store.onDidChange(r); });
      store.refresh();
      await changed;
    },
  };
}

const ids = (rows: Row[]): string[] => rows.map(r => 'catch' in r ? r.catch.id : r.group.label);

test('a group that is there no more keeps what was in it', async () => {
  const { tree, list, fired } = shown();
  await list(make('a', { kind: 'not-run', group: 'not run' }));
  const [before] = tree.getChildren();
  await list(make('a'));
  assert.deepEqual(fired, [undefined, undefined], 'other groups: all is drawn anew');
  assert.deepEqual(ids(tree.getChildren()), ['Cope']);
  assert.deepEqual(ids(tree.getChildren(before)), ['a'], 'what is drawn late is not empty');
});

test('a group of which a catch has changed is drawn anew, and no other', async () => {
  const { tree, list, fired } = shown(), other = make('b', { kind: 'not-run', group: 'not run' });
  await list(make('a'), other);
  const [group] = tree.getChildren();
  await list(make('a', { running: true }), other);
  assert.deepEqual(fired.slice(1), [[group]]);
  const [one] = tree.getChildren(group);
  assert.ok('catch' in one && one.catch.running);
});
