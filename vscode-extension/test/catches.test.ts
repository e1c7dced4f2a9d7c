// The list of catches: how it is grouped, filtered and worded, and when it is asked for.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Catch, CatchList, detailOf, failuresOf, filtered, groupsOf, groupText, nameOf, spoken, toLookAt } from '../src/catches';
import { CatchStore } from '../src/list';
import { make } from './catch';

const at = (line: number): Pick<Catch, 'range'> => ({ range: { start: { line, character: 4 }, end: { line, character: 9 } } });
const bad = make('bad', { kind: 'depends', group: 'depend on the source', look: true, ...at(40) });
const both = make('both', { exceptions: ['SQLException', 'IOException'], file: 'src/q/A.java', method: 'Q.open', ...at(3) });
const list = [bad, make('one'), both];

test('groups: verdicts as they come, files and exceptions by name', () => {
  const by = (g: 'verdict' | 'file' | 'exception'): string[] => groupsOf(list, g).map(x => `${x.label}: ${x.catches.map(c => c.id).join(' ')}`);
  assert.deepEqual(by('verdict'), ['Depend on the source: bad', 'Cope: one both']);
  assert.deepEqual(by('file'), ['A.java: one bad', 'A.java: both'], 'files of one name are two groups, and a file\'s catches are in its order');
  assert.deepEqual(by('exception'), ['IOException: bad one both', 'SQLException: both'], 'a catch of two is in both');
});

test('a filter is met by a catch that has all of its words', () => {
  const ids = (filter: string): string => filtered(list, filter).map(c => c.id).join(' ');
  assert.equal(ids(''), 'bad one both');
  assert.equal(ids('  sql '), 'both');
  assert.equal(ids('DEPEND a.java'), 'bad');
  assert.equal(ids('sql depend'), '');
  assert.equal(ids('q.open'), 'both');
});

test('the words of groups and rows', () => {
  assert.deepEqual(failuresOf([bad, make('x', { tested: 0, failures: 4 })]), { tested: 2, all: 7 });
  assert.equal(failuresOf([]), undefined, 'nothing is known of a list that is not there');
  assert.equal(toLookAt(list), 1);
  const [first, second] = groupsOf(list, 'exception');
  assert.equal(groupText(first), '3, 1 to look at');
  assert.equal(groupText(second), '1');
  assert.equal(groupText({ key: 'k', label: 'k', catches: [bad] }), '1');
  assert.equal(nameOf(both, 'verdict'), 'Q.open:4');
  assert.equal(nameOf(both, 'exception'), 'Q.open:4');
  assert.equal(nameOf(both, 'file'), 'catch (SQLException | IOException)');
  assert.equal(detailOf(both, 'verdict'), 'catch (SQLException | IOException) · 2 of 3 failures tested');
  assert.equal(detailOf(both, 'file'), 'line 4 · 2 of 3 failures tested · copes wherever it comes from');
  assert.equal(detailOf(make('x', { failures: 0, tested: 0, stale: true, running: true }), 'verdict'), 'catch (IOException) · stale · running…');
  assert.equal(detailOf(make('x', { failures: 0, tested: 0, unpredicted: 2 }), 'verdict'), 'catch (IOException) · 0 of 0 failures tested, 2 not predicted');
  assert.equal(spoken(both), 'catch (SQLException | IOException) in Q.open, 2 of 3 failures tested, copes wherever it comes from, src/q/A.java line 4');
});

/** A server whose answers are given by the test. */
function asked(): { store: CatchStore; answers: ((l: CatchList) => void)[]; fired: () => number } {
  const answers: ((l: CatchList) => void)[] = [];
  const store = new CatchStore(() => new Promise(r => answers.push(r)));
  let n = 0;
  store.onDidChange(() => { n++; });
  return { store, answers, fired: () => n };
}
const turn = (): Promise<void> => new Promise(r => { setImmediate(r); });

test('the list is asked for again once where it changed while it was asked for, and tells of differences only', async () => {
  const { store, answers, fired } = asked();
  store.refresh();
  store.refresh();
  store.refresh();
  assert.equal(answers.length, 1);
  answers[0]?.({ analysed: true, catches: list });
  await turn();
  assert.equal(answers.length, 2, 'one more request for the two that came meanwhile');
  assert.equal(fired(), 1);
  answers[1]?.({ analysed: true, catches: structuredClone(list) });
  await turn();
  assert.equal(fired(), 1, 'the same list changes nothing');
  assert.equal(answers.length, 2);
  store.refresh();
  answers[2]?.({ analysed: false, catches: [] });
  await turn();
  assert.equal(store.catches.length, 3, 'the list stands until a new server has analysed');
});

test('why there is nothing to show', async () => {
  const { store, answers } = asked();
  assert.equal(store.state, 'starting');
  for (const [i, [catches, state]] of ([[[], 'nothing'], [[make('a', { kind: 'not-compiled' })], 'notCompiled'], [list, 'ready']] as const).entries()) {
    store.refresh();
    answers[i]?.({ analysed: true, catches: [...catches] });
    await turn();
    assert.equal(store.state, state);
  }
  store.empty('failed');
  assert.deepEqual([store.state, store.catches.length], ['failed', 0]);
});
