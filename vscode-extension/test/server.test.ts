// Where the server program is looked for.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { findServer } from '../src/server';
import { configuration, ofWorkspace } from './vscode';

const name = process.platform === 'win32' ? 'catchlens.exe' : 'catchlens';
const path = process.env['PATH'];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'catchlens-extension-'));
  process.env['PATH'] = [join(folder, 'first'), join(folder, 'second')].join(delimiter);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  process.env['PATH'] = path;
  configuration.clear();
  ofWorkspace.clear();
});

const find = (): ReturnType<typeof findServer> => findServer({ asAbsolutePath: p => join(folder, 'extension', p) });

function program(...at: string[]): string {
  const file = join(folder, ...at);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  chmodSync(file, 0o755);
  return file;
}

test('the one inside the extension comes before those on PATH', () => {
  const inside = program('extension', 'bin', name);
  program('first', name);
  assert.deepEqual(find(), { command: inside, args: ['lsp'] });
});

test('PATH is searched in order, past folders of that name and files that are no programs', () => {
  mkdirSync(join(folder, 'first', name), { recursive: true });
  const second = program('second', name);
  assert.deepEqual(find(), { command: second, args: ['lsp'] });
  chmodSync(second, 0o644);
  if (process.platform !== 'win32') assert.equal(typeof find(), 'string');
});

test('a configured program is used with the configured arguments', () => {
  program('extension', 'bin', name);
  const own = program('own', 'catchlens-dev');
  configuration.set('catchlens.server.path', own);
  configuration.set('catchlens.server.arguments', ['lsp', '--log', 'x']);
  assert.deepEqual(find(), { command: own, args: ['lsp', '--log', 'x'] });
});

test('a configured program that is not there is an error, not a reason to take another', () => {
  program('extension', 'bin', name);
  configuration.set('catchlens.server.path', join(folder, 'nowhere'));
  assert.match(find() as string, /catchlens\.server\.path: .*nowhere is not a program/);
});

test('no program anywhere: a sentence that says the way out', () => {
  assert.match(find() as string, /Install it, or set catchlens\.server\.path/);
});

test('a program that the workspace names is not started', () => {
  const inside = program('extension', 'bin', name);
  ofWorkspace.set('catchlens.server.path', program('workspace', 'catchlens'));
  ofWorkspace.set('catchlens.server.arguments', ['--anything']);
  assert.deepEqual(find(), { command: inside, args: ['lsp'] });
});
