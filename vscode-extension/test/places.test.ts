// Tests of showing places.
import assert from 'node:assert/strict';
import test from 'node:test';
import { showPlace } from '../src/places';
import { opened } from './vscode';

void test('a place is shown, and one of a file that is gone is reported', async () => {
  const reported: unknown[] = [], report = (e: unknown): void => { reported.push(e); };
  await showPlace({ uri: 'file:///ws/A.java', line: 84 }, report);
  assert.deepEqual(opened, ['file:///ws/A.java:84']);
  await showPlace({ uri: 'file:///ws/gone.java', line: 3 }, report);
  assert.deepEqual(opened, ['file:///ws/A.java:84']);
  assert.match(String(reported), /gone\.java is not there/);
});
