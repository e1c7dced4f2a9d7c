// The tests in the Test Explorer: how they are listed, run, cancelled and shown, and what is shown of coverage.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Server } from '../src/requests';
import { CoverageFiles, DocumentCoverage } from '../src/coverage';
import { labelOf, Test, TestList, Tests } from '../src/tests';
import { controllers, TestController, TestItem } from './explorer';
import { shown, trust } from './vscode';

const base = { module: 'm', uri: 'file:///p/ATest.java', line: 4, stale: false };
const passes: Test = { ...base, test: 'p.ATest#reads', class: 'p.ATest', run: { outcome: 'pass', durationMs: 12, at: 1, line: 0 } };
const fails: Test = { ...base, test: 'p.ATest#writes', class: 'p.ATest', line: 9, run: { outcome: 'fail', message: 'expected 1', stack: 'at p.ATest.writes', durationMs: 3, at: 1, uri: 'file:///p/ATest.java', line: 11 } };
const unknown: Test = { ...base, uri: 'file:///p/BTest.java', test: 'p.BTest', class: 'p.BTest', line: 0 };
const later = (t: Test): Test => ({ ...t, ...t.run === undefined ? {} : { run: { ...t.run, at: Date.now() + 1000 } } });

/** A server of which the test says what it answers. */
class Answers {
  list: TestList = { analysed: true, tests: [passes, fails, unknown] };
  readonly asked: { method: string; params: object | undefined }[] = [];
  readonly cancelled: string[] = [];
  run: () => Promise<unknown> = () => Promise.resolve({ tests: 2, passed: 1, failed: 1, flaky: 0, skipped: 0, injected: 0, known: 0, unpredicted: 0, notes: ['a note'], seconds: 1 });
  readonly server: Server = {
    ask: (method, params) => {
      this.asked.push({ method, params });
      if (method === 'catchlens/tests') return Promise.resolve(this.list);
      if (method === 'workspace/executeCommand') return this.run();
      if (method === 'catchlens/coverageFiles') return Promise.resolve({ known: true, tests: [{ test: 'p.ATest#reads', module: 'm', stale: false }, { test: 'gone', module: 'm', stale: true }], files: [{ uri: 'file:///p/A.java', lines: { covered: 1, total: 2 }, branches: { covered: 0, total: 0 }, methods: { covered: 1, total: 1 }, tests: [0, 1] }] } satisfies CoverageFiles);
      const at = (character: number): { line: number; character: number } => ({ line: 5, character });
      return Promise.resolve({ known: true, tests: [], lines: [{ line: 3, state: 'missed', tests: 0 }, { line: 4, state: 'stale', tests: 1 },
        { line: 5, state: 'partly', tests: 1, branches: [{ range: { start: at(8), end: at(13) }, ways: [{ label: 'x > 0: true', taken: true }, { label: 'x > 0: false', taken: false }] }] }] } satisfies DocumentCoverage);
    },
    follow: (_token, say) => {
      say('a test runs');
      return { dispose: () => undefined };
    },
    cancel: token => { this.cancelled.push(token); },
  };
}

const never = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };

async function explorer(): Promise<{ answers: Answers; tests: Tests; controller: TestController }> {
  const answers = new Answers(), tests = new Tests(() => answers.server, { error: () => undefined });
  const controller = controllers.at(-1);
  assert.ok(controller);
  await tests.refresh();
  return { answers, tests, controller };
}

const tree = (items: TestItem[]): unknown[] => items.map(i => i.children.list.length === 0 ? i.label : [i.label, ...tree(i.children.list)]);

test('tests are listed by class, and by module where there are some; nothing can be run before the workspace is trusted', async () => {
  const { answers, tests, controller } = await explorer();
  assert.deepEqual(tree(controller.items.list), [['ATest', 'reads', 'writes'], 'BTest']);
  const [first] = controller.items.list;
  assert.equal(first.description, 'p');
  assert.equal(first.uri?.toString(), 'file:///p/ATest.java');
  assert.equal(first.children.list[1].range?.start.line, 9);
  assert.equal(controller.profiles.length, 0);
  trust();
  assert.deepEqual(controller.profiles.map(p => p.label), ['Run', 'Run with Coverage']);
  answers.list = { analysed: true, tests: [{ ...passes, stale: true }, { ...fails, module: 'n' }] };
  await tests.refresh();
  assert.deepEqual(tree(controller.items.list), [['m', ['ATest', 'reads']], ['n', ['ATest', 'writes']]]);
  assert.deepEqual(controller.outdated, ['reads'], 'a result is outdated once something that ran has changed');
  answers.list = { analysed: false, tests: [] };
  await tests.refresh();
  assert.equal(controller.items.list.length, 2, 'what was there stands until a new server has analysed');
});

test('a run tells how tests ended, those of former runs at its end', async () => {
  const { answers, controller } = await explorer();
  answers.run = () => {
    answers.list = { analysed: true, tests: [passes, later(fails), unknown] };
    return Promise.resolve({ tests: 2, passed: 1, failed: 1, flaky: 0, skipped: 0, injected: 0, known: 0, unpredicted: 0, notes: ['a note'], seconds: 1 });
  };
  await controller.profiles[0].run({ include: undefined, exclude: undefined }, never);
  assert.deepEqual(controller.runs[0].said, ['enqueued reads', 'enqueued writes', 'output a test runs',
    'output 2 tests (1 passed, 1 failed), 0 runs with an injected exception, 1.0 s\r\na note', 'failed writes 3 expected 1\nat p.ATest.writes file:///p/ATest.java:11', 'passed reads 12', 'end']);
  assert.deepEqual(answers.asked.find(a => a.method === 'workspace/executeCommand')?.params, { command: 'catchlens.cover', arguments: [''], workDoneToken: 'catchlens-tests-1' });
  assert.deepEqual(controller.runs[0].covered, [], 'no coverage is asked for');
});

test('a run tells nothing of older code, and a result anew that a later one follows', async () => {
  const { answers, tests, controller } = await explorer();
  const ended = (t: Test, outcome: string, stale: boolean, ms: number): Test => ({ ...t, stale, run: { outcome, durationMs: 1, at: Date.now() + ms, line: 0 } });
  const summary = await answers.run();
  answers.run = async () => {
    // The run before this one ends its tests while this one waits.
    answers.list = { analysed: true, tests: [ended(passes, 'fail', true, 1000), ended(fails, 'fail', false, 1000), unknown] };
    await tests.refresh();
    await tests.refresh();
    answers.list = { analysed: true, tests: [ended(passes, 'pass', false, 2000), ended(fails, 'pass', false, 2000), { ...unknown, test: 'p.BTest#stale', run: fails.run, stale: true }] };
    return summary;
  };
  await controller.profiles[0].run({ include: undefined, exclude: undefined }, never);
  const told = controller.runs[0].said.filter(s => /^(passed|failed)/.test(s));
  assert.deepEqual(told, ['failed writes 1 The test failed. undefined:undefined', 'passed reads 1', 'passed writes 1']);
});

test('what is chosen runs, a test by itself, whatever is known', async () => {
  const { answers, controller } = await explorer();
  const [a, b] = controller.items.list;
  const ran = async (include: TestItem[] | undefined, exclude?: TestItem[]): Promise<unknown> => {
    await controller.profiles[0].run({ include, exclude }, never);
    return (answers.asked.filter(x => x.method === 'workspace/executeCommand').at(-1)?.params as { arguments: string[] }).arguments;
  };
  assert.deepEqual(await ran(a.children.list.slice(0, 1)), ['again', 'p.ATest#reads']);
  assert.deepEqual(controller.runs.at(-1)?.said.filter(s => s.startsWith('enqueued')), ['enqueued reads']);
  assert.deepEqual(await ran([a]), ['again', 'p.ATest']);
  assert.deepEqual(await ran([a], a.children.list.slice(0, 1)), ['again', 'p.ATest#writes']);
  assert.deepEqual(await ran([b]), ['again', 'p.BTest']);
  assert.deepEqual(await ran(undefined, [a]), ['again', 'p.BTest']);
  const before = answers.asked.filter(x => x.method === 'workspace/executeCommand').length;
  await controller.profiles[0].run({ include: [a], exclude: [a] }, never);
  assert.equal(answers.asked.filter(x => x.method === 'workspace/executeCommand').length, before, 'nothing is left to run');
});

test('a test that has not run yet is chosen without its parameters; where a class failed as a whole, it is chosen', async () => {
  const { answers, tests, controller } = await explorer();
  const summary = await answers.run();
  answers.list = { analysed: true, tests: [{ ...unknown, test: 'p.BTest#adds' }, { ...fails, test: 'p.ATest#(class)' }] };
  await tests.refresh();
  answers.run = () => {
    answers.list = { analysed: true, tests: [later({ ...passes, test: 'p.BTest#adds[1]', class: 'p.BTest' }), later({ ...passes, test: 'p.BTest#other', class: 'p.BTest' }), later(passes)] };
    return Promise.resolve(summary);
  };
  const [b, a] = controller.items.list;
  const args = (): unknown => (answers.asked.filter(x => x.method === 'workspace/executeCommand').at(-1)?.params as { arguments: string[] }).arguments;
  const [failed] = a.children.list;
  await controller.profiles[0].run({ include: b.children.list, exclude: undefined }, never);
  assert.deepEqual(args(), ['again', 'p.BTest#adds']);
  assert.deepEqual(controller.runs.at(-1)?.said.filter(s => s.startsWith('passed')), ['passed adds[1] 12']);
  answers.list = { analysed: true, tests: [{ ...fails, test: 'p.ATest#(class)' }] };
  await tests.refresh();
  await controller.profiles[0].run({ include: [failed], exclude: undefined }, never);
  assert.deepEqual(args(), ['again', 'p.ATest']);
  assert.deepEqual(controller.runs.at(-1)?.said.filter(s => s.startsWith('passed')), ['passed reads 12']);
});

test('coverage has totals with their tests, and lines with the ways of their branches; of one test too', async () => {
  const { answers, controller } = await explorer();
  const profile = controller.profiles[1];
  await profile.run({ include: undefined, exclude: undefined }, never);
  const [run] = controller.runs, [file] = run.covered;
  assert.deepEqual([file.uri.toString(), file.lines, file.branches, file.tests.map(t => t.label)], ['file:///p/A.java', { covered: 1, total: 2 }, undefined, ['reads']]);
  const lines = await profile.loadDetailedCoverage?.(run, file) ?? [];
  assert.deepEqual(lines.map(l => [l.location.start.line, l.executed, l.branches.map(b => [b.label, b.executed, b.location.start.character])]), [
    [3, false, []], [5, true, [['x > 0: true', true, 8], ['x > 0: false', false, 8]]]], 'a stale line is neither covered nor not');
  await profile.loadDetailedCoverageForTest?.(run, file, file.tests[0]);
  assert.deepEqual(answers.asked.at(-1), { method: 'catchlens/coverage', params: { textDocument: { uri: 'file:///p/A.java' }, test: 'p.ATest#reads', module: 'm' } });
});

test('tests of one name in two modules have an item each, which covers what that module\'s test does', async () => {
  const { answers, tests, controller } = await explorer();
  answers.list = { analysed: true, tests: [{ ...passes, module: 'l' }, passes, { ...passes, module: 'n' }] };
  await tests.refresh();
  const profile = controller.profiles[1];
  await profile.run({ include: undefined, exclude: undefined }, never);
  const run = controller.runs[0], [file] = run.covered;
  const [, m] = controller.items.list;
  assert.deepEqual(file.tests, [m.children.list[0].children.list[0]]);
  await profile.loadDetailedCoverageForTest?.(run, file, file.tests[0]);
  assert.deepEqual(answers.asked.at(-1)?.params, { textDocument: { uri: 'file:///p/A.java' }, test: 'p.ATest#reads', module: 'm' });
});

test('a run that is cancelled says nothing, one that fails says why; both end', async () => {
  const { answers, controller } = await explorer();
  const token = { isCancellationRequested: false, onCancellationRequested: (f: () => void) => {
    token.isCancellationRequested = true;
    f();
    return { dispose: () => undefined };
  } };
  answers.run = () => Promise.reject(new Error('the session is closed'));
  const before = shown.length;
  await controller.profiles[0].run({ include: undefined, exclude: undefined }, token);
  assert.deepEqual([answers.cancelled, shown.length, controller.runs[0].said.at(-1)], [['catchlens-tests-1'], before, 'end']);
  await controller.profiles[0].run({ include: undefined, exclude: undefined }, never);
  assert.deepEqual([shown.at(-1), controller.runs[1].said.slice(-2)], ['catchlens: the session is closed', ['output the session is closed', 'end']]);
});

test('outcomes and names', async () => {
  const { answers, controller } = await explorer();
  const outcomes = ['skipped', 'flaky', 'hang'].map(outcome => ({ ...base, test: `p.ATest#${outcome}`, class: 'p.ATest', run: { outcome, durationMs: 1, at: 1, line: 0 } }));
  answers.list = { analysed: true, tests: outcomes };
  await controller.profiles[0].run({ include: undefined, exclude: undefined }, never);
  assert.deepEqual(controller.runs[0].said.slice(-4), ['skipped skipped', 'failed flaky 1 The test passed in one run and not in another. undefined:undefined', 'errored hang The test did not end by itself: hang.', 'end']);
  assert.equal(labelOf(passes), 'reads');
  assert.equal(labelOf({ ...passes, test: 'p.ATest$Inner#reads[1]' }), 'Inner.reads[1]');
});
