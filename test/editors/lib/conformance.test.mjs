// The checker must see what is wrong: a check that never fails proves nothing.
import assert from 'node:assert/strict';
import test from 'node:test';
import { check } from './conformance.mjs';

const client = message => ({ from: 'client', message: { jsonrpc: '2.0', ...message } });
const server = message => ({ from: 'server', message: { jsonrpc: '2.0', ...message } });
const range = (a, b, c, d) => ({ start: { line: a, character: b }, end: { line: c, character: d } });
const ask = (method, result) => check([client({ id: 1, method, params: {} }), server({ id: 1, result })]).problems;
const diagnostics = d => check([server({ method: 'textDocument/publishDiagnostics', params: { uri: 'file:///A.java', diagnostics: [d] } })]).problems;
const progress = (...values) => check([
  server({ id: 's1', method: 'window/workDoneProgress/create', params: { token: 't' } }), client({ id: 's1', result: null }),
  ...values.map(value => server({ method: '$/progress', params: { token: 't', value } })),
]).problems;

test('what is right has no problems', () => {
  assert.deepEqual(ask('textDocument/codeLens', [{ range: range(1, 2, 1, 7), command: { title: 'run', command: 'x', arguments: ['a', 1] } }]), []);
  assert.deepEqual(ask('textDocument/hover', null), []);
  assert.deepEqual(ask('textDocument/hover', { contents: { kind: 'markdown', value: '*' }, range: range(0, 0, 0, 5) }), []);
  assert.deepEqual(diagnostics({ range: range(0, 0, 0, 5), severity: 2, message: 'm', code: 'c', source: 's', data: { any: [1] } }), []);
  assert.deepEqual(progress({ kind: 'begin', title: 'T', percentage: 0 }, { kind: 'report', percentage: 5 }, { kind: 'report', message: 'm' }, { kind: 'end' }), []);
});

test('shapes: what is missing, what is unknown, wrong types and values', () => {
  assert.match(ask('textDocument/codeLens', [{ range: range(1, 2, 1, 7), command: { title: 'run' } }])[0], /result\[0\]\.command\.command is missing/);
  assert.match(ask('textDocument/codeLens', [{ range: range(1, 2, 1, 7), tooltip: '' }])[0], /tooltip is not in the protocol/);
  assert.match(ask('textDocument/codeLens', { range: 1 })[0], /is no array|is no null/);
  assert.match(diagnostics({ range: range(0, 0, 0, 5), severity: 5, message: 'm' })[0], /5 is not among the values of DiagnosticSeverity/);
  assert.match(diagnostics({ range: range(0, -1, 0, 5), message: 'm' })[0], /-1 is no uinteger/);
  assert.match(diagnostics({ range: range(0, 9, 0, 5), message: 'm' })[0], /ends before it starts/);
  assert.match(diagnostics({ range: range(0, 0, 0, 5), message: 'm', relatedInformation: [{ location: { uri: '/A.java', range: range(0, 0, 0, 0) }, message: '' }] })[0], /"\/A\.java" is no DocumentUri/);
});

test('conversation: answers, ids, directions, methods', () => {
  assert.match(check([client({ id: 1, method: 'textDocument/hover', params: {} })]).problems[0], /hover \(1\) was never answered/);
  assert.deepEqual(check([client({ id: 1, method: 'textDocument/hover', params: {} }), client({ method: 'exit' })]).problems, []);
  assert.match(check([server({ id: 7, result: null })]).problems[0], /which is not asked/);
  assert.match(check([client({ id: 1, method: 'shutdown' }), server({ id: 1, result: null, error: { code: 1, message: '' } })]).problems[0], /exactly one of/);
  assert.match(check([client({ id: 1, method: 'shutdown' }), server({ id: 1, error: { message: '' } })]).problems[0], /malformed error/);
  assert.match(check([server({ method: 'textDocument/didOpen', params: {} })]).problems[0], /only a client may send this/);
  assert.match(check([server({ method: 'catchlens/other', params: {} })]).problems[0], /not in the protocol/);
  assert.match(check([server({ method: 'catchlens/status', params: { trusted: true } })]).problems[0], /params\.activity is missing/);
});

test('progress: order and percentages', () => {
  assert.match(progress({ kind: 'report', percentage: 1 })[0], /report of token t, which is created/);
  assert.match(progress({ kind: 'begin', title: 'T' }, { kind: 'end' }, { kind: 'report' })[0], /which is ended/);
  assert.match(progress({ kind: 'begin', title: 'T', percentage: 50 }, { kind: 'report', percentage: 40 })[0], /percentage 40 after 50/);
  assert.match(check([server({ method: '$/progress', params: { token: 'u', value: { kind: 'begin', title: 'T' } } })]).problems[0], /token u, which is unknown/);
});
