// What the server is told of the settings.
import assert from 'node:assert/strict';
import test, { afterEach } from 'node:test';
import { settings } from '../src/settings';
import { configuration, ofWorkspace, workspace } from './vscode';

afterEach(() => {
  configuration.clear();
  ofWorkspace.clear();
  workspace.isTrusted = false;
});

test('only what is set is sent, and the nearest word counts', () => {
  assert.deepEqual(settings(), { trusted: false });
  configuration.set('catchlens.callGraph', 'rta');
  configuration.set('catchlens.hints', false);
  ofWorkspace.set('catchlens.callGraph', 'cha');
  assert.deepEqual(settings(), { callGraph: 'cha', hints: false, trusted: false });
});

test('a workspace gives itself no trust and moves no cache', () => {
  configuration.set('catchlens.trusted', true); // is no setting at all
  ofWorkspace.set('catchlens.trusted', true);
  ofWorkspace.set('catchlens.cacheDir', '/of/the/workspace');
  assert.deepEqual(settings(), { trusted: false });
  configuration.set('catchlens.cacheDir', '/of/the/user');
  workspace.isTrusted = true;
  assert.deepEqual(settings(), { cacheDir: '/of/the/user', trusted: true });
});
