// Each test file runs in one of the two processes that `npm test` starts.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';

test('each test file is in one lane', () => {
  const here = dirname(import.meta.dirname);
  const files = readdirSync(here).filter(f => f.endsWith('.test.mjs')).sort();
  const lanes = readdirSync(here).filter(f => f.endsWith('.lane.mjs'));
  const imports = text => [...text.matchAll(/^import '\.\/(.*)';$/gm)].map(m => m[1]);
  const imported = lanes.flatMap(f => imports(readFileSync(join(here, f), 'utf8')));
  assert.deepEqual(imported.sort(), files);
  const run = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).scripts.test;
  for (const lane of lanes) assert.ok(run.includes(` ${lane}`), `npm test does not run ${lane}`);
});
