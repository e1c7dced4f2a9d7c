// This file words what is shown. It knows nothing of VS Code.

/** The server's session.Status. */
export interface Status {
  trusted: boolean;
  activity: string; // empty when idle
  catches: number;
  links: number;
  tests: number;
  problems: number;
  callGraph: string;
  jdk: string;
  unconfined?: string; // why test JVMs are not confined
}

/** What the server answers to a run. */
export interface RunSummary {
  tests: number;
  passed: number;
  failed: number;
  flaky: number;
  skipped: number; // not run by their framework
  injected: number; // injected runs done now
  known: number; // injected runs whose results were known and still hold
  unpredicted: number;
  notes: string[];
  seconds: number;
  outcome?: string; // how the catches stand, and what is new since an earlier run
  catch?: string; // of a run of one catch its ID
  verdict?: string; // and how it stands
  new?: { uri: string; line: number }[]; // the catches that are, lines from 0
}

/**
 * The text of the status item, with its icon. What is being done comes and goes with each edit: it stands in the tooltip, so that
 * the items beside this one keep their places, unless there is nothing else to say yet.
 */
export function statusText(s: Status): string {
  const icon = s.activity !== '' ? '$(sync~spin)' : s.problems > 0 ? '$(warning)' : '$(shield)';
  return `${icon} ${s.activity !== '' && s.catches === 0 ? s.activity : count(s.catches, 'catch', 'catches')}`;
}

/** How bad a line is that the server has written into its log. What has no level is not the log's: the server has crashed. */
export function logLevel(line: string): 'debug' | 'info' | 'warn' | 'error' {
  const level = /(?:^| )level=(DEBUG|INFO|WARN|ERROR)(?: |$)/.exec(line)?.[1] ?? 'ERROR';
  return level.toLowerCase() as 'debug' | 'info' | 'warn' | 'error';
}

/** How many failures there are, and how many of them a test has made happen. */
export interface Failures {
  tested: number;
  all: number;
}

/** The lines of its tooltip; without failures where their number is not known yet. */
export function statusLines(s: Status, failures?: Failures): string[] {
  const known = failures === undefined ? '' : `, ${String(failures.tested)} of ${count(failures.all, 'failure')} tested`;
  const ran = s.tests === 0 ? 'no test has been run' : `results of ${count(s.tests, 'test')}`;
  const lines = [
    ...s.activity === '' ? [] : [`Now: ${s.activity}.`],
    `${count(s.catches, 'catch', 'catches')}${known}, ${ran}`,
    ...s.callGraph === '' ? [] : [`call graph ${s.callGraph}${s.jdk === '' ? '' : `, JDK ${s.jdk}`}`],
    s.trusted ? 'Tests may be run.' : 'Restricted: nothing of this workspace is executed.',
  ];
  if (s.problems > 0) {
    lines.push(`${count(s.problems, 'problem')} with what is analysed: see Problems, or the HTML report.`);
  }
  if (s.unconfined !== undefined && s.unconfined !== '') lines.push(`Tests run without confinement: ${s.unconfined}`);
  return lines;
}

/** How the catches stand after a run, or the one that was run, and the run, in one line. */
export function runText(s: RunSummary): string {
  const said = s.verdict ?? s.outcome ?? '';
  return said === '' ? summaryText(s) : `${said} (${summaryText(s)})`;
}

/** Tells whether a request ended because somebody stopped it: the protocol's RequestCancelled. */
export function isStopped(e: unknown): boolean {
  return e instanceof Error && 'code' in e && e.code === -32800;
}

/** A run in one line. */
export function summaryText(s: RunSummary): string {
  const outcomes = [`${String(s.passed)} passed`];
  if (s.failed > 0) outcomes.push(`${String(s.failed)} failed`);
  if (s.flaky > 0) outcomes.push(`${String(s.flaky)} flaky`);
  if (s.skipped > 0) outcomes.push(`${String(s.skipped)} skipped`);
  const known = s.known > 0 ? `, ${String(s.known)} known already` : '';
  return `${count(s.tests, 'test')} (${outcomes.join(', ')}), ${count(s.injected, 'run')} with an injected exception${known}, ${s.seconds.toFixed(1)} s`;
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${String(n)} ${n === 1 ? one : many}`;
}
