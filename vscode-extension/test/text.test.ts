// The words of the status item and of a finished run.
import assert from 'node:assert/strict';
import test from 'node:test';
import { isStopped, logLevel, runText, statusLines, statusText, summaryText, type RunSummary, type Status } from '../src/text';

const idle: Status = { trusted: true, activity: '', catches: 1, links: 7, tests: 0, problems: 0, callGraph: 'rta', jdk: '17.0.15' };

test('the item shows what is going on, else how much is known', () => {
  assert.equal(statusText(idle), '$(shield) 1 catch');
  assert.equal(statusText({ ...idle, catches: 40 }), '$(shield) 40 catches');
  assert.equal(statusText({ ...idle, problems: 2 }), '$(warning) 1 catch');
  // What is being done does not shift the items beside it.
  assert.equal(statusText({ ...idle, catches: 40, activity: 'compiling' }), '$(sync~spin) 40 catches');
  assert.equal(statusLines({ ...idle, activity: 'compiling' })[0], 'Now: compiling.');
  assert.equal(statusText({ ...idle, catches: 0, activity: 'analysing' }), '$(sync~spin) analysing');
});

test('the tooltip says trust, problems and missing confinement only where they are', () => {
  assert.deepEqual(statusLines(idle),
    ['1 catch, no test has been run', 'call graph rta, JDK 17.0.15', 'Tests may be run.']);
  assert.equal(statusLines(idle, { tested: 2, all: 3 })[0], '1 catch, 2 of 3 failures tested, no test has been run');
  assert.equal(statusLines(idle, { tested: 0, all: 1 })[0], '1 catch, 0 of 1 failure tested, no test has been run');
  assert.equal(statusLines({ ...idle, tests: 63 })[0], '1 catch, results of 63 tests');
  assert.deepEqual(statusLines({ ...idle, callGraph: '', jdk: '' }),
    ['1 catch, no test has been run', 'Tests may be run.'], 'of a first analysis');
  assert.deepEqual(statusLines({ ...idle, jdk: '', trusted: false, problems: 1, unconfined: 'no Landlock' }).slice(1), [
    'call graph rta', 'Restricted: nothing of this workspace is executed.',
    '1 problem with what is analysed: see Problems, or the HTML report.',
    'Tests run without confinement: no Landlock']);
});

test('a run in one line', () => {
  const run: RunSummary = { tests: 63, passed: 63, failed: 0, flaky: 0, skipped: 0, injected: 1, known: 0, unpredicted: 0, notes: [], seconds: 12.34 };
  assert.equal(summaryText(run), '63 tests (63 passed), 1 run with an injected exception, 12.3 s');
  assert.equal(summaryText({ ...run, passed: 60, failed: 2, flaky: 1, skipped: 5, injected: 200, known: 14 }),
    '63 tests (60 passed, 2 failed, 1 flaky, 5 skipped), 200 runs with an injected exception, 14 known already, 12.3 s');
});

test('a run that is told of begins with how the catches stand', () => {
  const run: RunSummary = { tests: 63, passed: 63, failed: 0, flaky: 0, skipped: 0, injected: 1, known: 0, unpredicted: 0, notes: [], seconds: 12.34 };
  const counts = '63 tests (63 passed), 1 run with an injected exception, 12.3 s';
  assert.equal(runText(run), counts);
  assert.equal(runText({ ...run, outcome: '4 depend on the source; 1 new since yesterday: A.java:4' }),
    `4 depend on the source; 1 new since yesterday: A.java:4 (${counts})`);
  assert.equal(runText({ ...run, outcome: '4 depend on the source', catch: 'A.m()V#0', verdict: 'A.java:4 perfect plan B' }),
    `A.java:4 perfect plan B (${counts})`);
});

test('a line of the log is shown by its level', () => {
  assert.equal(logLevel('time=2026-11-27T10:00:00Z level=INFO msg=started'), 'info');
  assert.equal(logLevel('time=2026-11-27T10:00:00Z level=WARN msg="x level=INFO"'), 'warn');
  assert.equal(logLevel('time=2026-11-27T10:00:00Z level=ERROR msg="x level=INFO y"'), 'error');
  assert.equal(logLevel('goroutine 1 [running]:'), 'error');
});

test('what somebody has stopped has not failed', () => {
  assert.ok(isStopped(Object.assign(new Error('cancelled'), { code: -32800 })));
  assert.ok(!isStopped(Object.assign(new Error('no class path'), { code: -32603 })));
  assert.ok(!isStopped('cancelled'));
});
