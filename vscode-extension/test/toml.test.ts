// The schema of catchlens.toml is named to the extension that completes TOML files.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import { completeToml, refreshSchema } from '../src/toml';
import { configuration, installed, shown } from './vscode';

const name = 'catchlens.toml.schema.json', setting = 'evenBetterToml.schema.associations', files = '^.*/catchlens\\.toml$';
let folder: string, context: Parameters<typeof completeToml>[0];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'catchlens-toml-'));
  context = { asAbsolutePath: p => join(folder, 'extension', p), globalStorageUri: { fsPath: join(folder, 'a storage') } };
  schema('first');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  configuration.clear();
  installed.clear();
  shown.length = 0;
});

function schema(text: string): void {
  mkdirSync(join(folder, 'extension/schemas'), { recursive: true });
  writeFileSync(join(folder, 'extension/schemas', name), text);
}

test('the settings of the user name a copy of the schema, beside what they name already', async () => {
  installed.add('tamasfe.even-better-toml');
  configuration.set(setting, { '^.*/other\\.toml$': 'file:///other' });
  await completeToml(context);
  const associations = configuration.get(setting) as Record<string, string>;
  assert.deepEqual(Object.keys(associations), ['^.*/other\\.toml$', files]);
  assert.match('/a/workspace/catchlens.toml', new RegExp(files));
  const copy = fileURLToPath(associations[files] ?? '');
  assert.equal(readFileSync(copy, 'utf8'), 'first');
  schema('second');
  refreshSchema(context);
  assert.equal(readFileSync(copy, 'utf8'), 'second');
});

test('without the extension nothing is written', async () => {
  await completeToml(context);
  refreshSchema(context);
  assert.ok(!configuration.has(setting));
  assert.ok(!existsSync(context.globalStorageUri.fsPath));
  assert.match(shown.join('\n'), /not installed/);
});
