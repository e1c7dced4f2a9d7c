// Tests of what is asked when a link is judged infeasible.
import assert from 'node:assert/strict';
import test from 'node:test';
import { askReason } from '../src/judge';
import { asked, window } from './vscode';

const args = ['l1', 'judged in the editor', 'java.io.IOException from Files.open:7'];

void test('who judges is asked why, about what, and told where the answer is kept', async () => {
  asked.length = 0;
  window.answer = 'checked before';
  assert.deepEqual(await askReason(args), ['l1', 'checked before']);
  const [box] = asked;
  assert.equal(box.title, 'Mark as Impossible');
  assert.equal(box.prompt, 'Why can java.io.IOException from Files.open:7 not arrive at this catch? The reason is kept in catchlens.toml.');
  assert.equal(box.validateInput(' '), 'A reason is needed.');
  assert.equal(box.validateInput('it is'), undefined);
  assert.deepEqual(await askReason(['l1']), ['l1', 'checked before']);
  assert.match(asked[1]?.prompt ?? '', /^Why can this exception not /);
});

void test('who gives no answer judges nothing', async () => {
  window.answer = undefined;
  assert.equal(await askReason(args), undefined);
});

void test('who takes a judgement back is asked nothing', async () => {
  asked.length = 0;
  assert.deepEqual(await askReason(['l1', '']), ['l1', '']);
  assert.equal(asked.length, 0);
});
