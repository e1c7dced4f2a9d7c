// Which catch is at a place, and which comes next.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Catch } from '../src/catches';
import { nearest, neighbour } from '../src/nearest';

const make = (uri: string, line: number, character = 4): Catch => ({
  id: `${uri}${String(line)}`, uri, range: { start: { line, character }, end: { line, character: character + 5 } }, file: uri, method: 'A.m', exceptions: [], kind: 'depends',
  group: '', verdict: '', title: '', tested: 0, failures: 0, unpredicted: 0, look: true, stale: false, running: false, runnable: true,
});
const list = [make('b', 5), make('a', 30), make('a', 7)];

test('the catch at a line is the nearest one at or above it, in the same file', () => {
  assert.equal(nearest(list, 'a', 29)?.id, 'a7');
  assert.equal(nearest(list, 'a', 30)?.id, 'a30');
  assert.equal(nearest(list, 'a', 6), undefined);
  assert.equal(nearest(list, 'c', 100), undefined);
});

test('next and previous go through all files, and on from the end', () => {
  const walk = (step: 1 | -1, from?: { uri: string; line: number }): string[] => {
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) {
      const c = neighbour(list, from, step);
      if (c === undefined) break;
      seen.push(c.id);
      from = { uri: c.uri, line: c.range.start.line };
    }
    return seen;
  };
  assert.deepEqual(walk(1), ['a7', 'a30', 'b5', 'a7']);
  assert.deepEqual(walk(-1), ['b5', 'a30', 'a7', 'b5']);
  assert.deepEqual(walk(1, { uri: 'a', line: 8 }).slice(0, 2), ['a30', 'b5'], 'from between two');
  assert.deepEqual(walk(-1, { uri: 'a', line: 8 })[0], 'a7');
  assert.deepEqual(walk(1, { uri: 'aa', line: 0 })[0], 'b5', 'from a file without one');
  assert.equal(neighbour([], { uri: 'a', line: 1 }, 1), undefined);
});
