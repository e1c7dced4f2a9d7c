// This file has the tests of the workspace in the Test Explorer, and runs them, for coverage too.
// A test that is chosen runs without the others of its class where the server can do that.
import * as vscode from 'vscode';
import { Server } from './requests';
import { CoverageFiles, details, DocumentCoverage, fileCoverages } from './coverage';
import { RunSummary, summaryText } from './text';

/** The last run of a test. */
export interface LastRun {
  outcome: string;
  message?: string;
  stack?: string;
  durationMs: number;
  at: number;
  uri?: string;
  line: number;
}

/** A test, or a test class of which no test is known yet: then both have one name. */
export interface Test {
  test: string;
  class: string;
  module: string;
  uri?: string;
  line: number;
  run?: LastRun;
  stale: boolean;
}

/** What the server answers to catchlens/tests. */
export interface TestList {
  analysed: boolean;
  tests: Test[];
}

/** A run that is under way. */
interface Under {
  run: vscode.TestRun;
  since: number;
  wanted: ReadonlySet<string> | undefined; // classes and tests by their names; undefined: all
  told: Map<string, number>; // items whose result has been shown, with when it ran
}

export class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController('catchlens', 'catchlens');
  private readonly items = new Map<string, vscode.TestItem>();
  private readonly testOf = new Map<string, Test>(); // by item
  private readonly itemOf = new Map<string, vscode.TestItem>(); // by module and test
  private readonly under = new Set<Under>();
  private readonly parts: { dispose: () => unknown }[] = [this.controller];
  private asking: 'no' | 'once' | 'again' = 'no';
  private runs = 0;
  private list: readonly Test[] = [];

  constructor(private readonly server: () => Server | undefined, private readonly output: Pick<vscode.LogOutputChannel, 'error'>) {
    this.controller.refreshHandler = () => this.refresh();
    if (vscode.workspace.isTrusted) this.addProfiles();
    else this.parts.push(vscode.workspace.onDidGrantWorkspaceTrust(() => { this.addProfiles(); }));
  }

  /** Until the workspace is trusted tests are listed, and there is nothing to run them with. */
  private addProfiles(): void {
    this.controller.createRunProfile('Run', vscode.TestRunProfileKind.Run, (request, token) => this.run(request, token, false), true);
    const profile = this.controller.createRunProfile('Run with Coverage', vscode.TestRunProfileKind.Coverage, (request, token) => this.run(request, token, true), true);
    profile.loadDetailedCoverage = (_run, file) => this.details(file.uri);
    // From 1.96 on: what one test covers of the file.
    Object.assign(profile, { loadDetailedCoverageForTest: (_run: vscode.TestRun, file: vscode.FileCoverage, item: vscode.TestItem) => this.details(file.uri, this.testOf.get(item.id)) });
  }

  private async details(uri: vscode.Uri, of?: Test): Promise<vscode.StatementCoverage[]> {
    const answer = await this.server()?.ask('catchlens/coverage', { textDocument: { uri: uri.toString() }, ...of === undefined ? {} : { test: of.test, module: of.module } });
    return answer === undefined ? [] : details(answer as DocumentCoverage);
  }

  /** Asks the server for the tests; while an answer is awaited, once more after that. */
  async refresh(): Promise<void> {
    if (this.asking !== 'no') {
      this.asking = 'again';
      return;
    }
    do {
      this.asking = 'once';
      await this.fetch();
    } while (this.again());
    this.asking = 'no';
  }

  private again(): boolean {
    return this.asking === 'again';
  }

  private async fetch(): Promise<void> {
    try {
      const list = await this.server()?.ask('catchlens/tests') as TestList | undefined;
      if (list?.analysed !== true) return; // what was there stands
      this.list = list.tests;
      this.show();
      for (const u of this.under) this.report(u, u.since);
    } catch {
      // A server that has ended answers nothing; the status item says so.
    }
  }

  /** Shows the list: items that are there already stay. */
  private show(): void {
    const before = new Map(this.testOf), outdated: vscode.TestItem[] = [];
    this.testOf.clear();
    this.itemOf.clear();
    const modules = new Set(this.list.map(t => t.module));
    const top: vscode.TestItem[] = [], children = new Map<string, vscode.TestItem[]>(), used = new Set<string>();
    const add = (parent: vscode.TestItem | undefined, item: vscode.TestItem): void => {
      if (used.has(item.id)) return;
      used.add(item.id);
      if (parent === undefined) top.push(item);
      else children.set(parent.id, [...children.get(parent.id) ?? [], item]);
    };
    for (const t of this.list) {
      const module = modules.size > 1 ? this.item(`module ${t.module}`, t.module) : undefined;
      if (module !== undefined) add(undefined, module);
      const dot = t.class.lastIndexOf('.');
      const holder = this.item(`class ${t.module} ${t.class}`, t.class.slice(dot + 1), fileOfClass(t));
      if (dot > 0) holder.description = t.class.slice(0, dot);
      add(module, holder);
      if (t.test === t.class) continue;
      const item = this.item(`test ${t.module} ${t.test}`, labelOf(t), t.uri);
      item.range = new vscode.Range(t.line, 0, t.line, 0);
      add(holder, item);
      if (t.stale && before.get(item.id)?.stale === false) outdated.push(item);
      this.testOf.set(item.id, t);
      this.itemOf.set(`${t.module} ${t.test}`, item);
    }
    for (const [id, item] of this.items) {
      if (used.has(id)) item.children.replace(children.get(id) ?? []);
      else this.items.delete(id);
    }
    this.controller.items.replace(top);
    if (outdated.length > 0) this.controller.invalidateTestResults(outdated);
  }

  private item(id: string, label: string, uri?: string): vscode.TestItem {
    let item = this.items.get(id);
    if (item === undefined || item.uri?.toString() !== (uri === undefined ? undefined : vscode.Uri.parse(uri).toString())) {
      item = this.controller.createTestItem(id, label, uri === undefined ? undefined : vscode.Uri.parse(uri));
      this.items.set(id, item);
    }
    return item;
  }

  /** The test classes and tests that are asked for; undefined: all. A class of which a test is excluded is asked for by its other tests. */
  private wanted(request: vscode.TestRunRequest): ReadonlySet<string> | undefined {
    const left = new Set((request.exclude ?? []).map(i => i.id));
    if (request.include === undefined && left.size === 0) return undefined;
    const names = new Set<string>();
    const add = (item: vscode.TestItem): void => {
      if (left.has(item.id)) return;
      const test = this.testOf.get(item.id);
      const children: vscode.TestItem[] = [];
      item.children.forEach(child => { children.push(child); });
      if (test !== undefined) names.add(test.test.startsWith(`${test.class}#(class)`) ? test.class : test.test); // no test, but that the class failed
      else if (item.id.startsWith('class ') && !children.some(child => left.has(child.id))) names.add(item.id.slice(item.id.lastIndexOf(' ') + 1));
      else children.forEach(add);
    };
    if (request.include === undefined) this.controller.items.forEach(add);
    else request.include.forEach(add);
    return names;
  }

  /** Runs tests. Those that were chosen run in any case, of all only those of which nothing current is known. */
  async run(request: vscode.TestRunRequest, cancel: vscode.CancellationToken, withCoverage: boolean): Promise<void> {
    const server = this.server();
    const under: Under = { run: this.controller.createTestRun(request), since: Date.now(), wanted: this.wanted(request), told: new Map() };
    const token = `catchlens-tests-${String(++this.runs)}`;
    this.under.add(under);
    for (const [id, t] of this.testOf) if (asks(under, t)) under.run.enqueued(this.items.get(id) as vscode.TestItem);
    const listener = server?.follow(token, message => { under.run.appendOutput(`${message}\r\n`); });
    const cancelled = cancel.onCancellationRequested(() => { server?.cancel(token); });
    try {
      if (server === undefined) throw new Error('The server is not running.');
      const args = [under.wanted === undefined ? '' : 'again', ...under.wanted ?? []];
      if (under.wanted?.size !== 0) {
        const summary = await server.ask('workspace/executeCommand', { command: 'catchlens.cover', arguments: args, workDoneToken: token }) as RunSummary;
        under.run.appendOutput([summaryText(summary), ...summary.notes, ''].join('\r\n'));
      }
      await this.fetch();
      this.report(under, 0);
      if (withCoverage) {
        const files = await server.ask('catchlens/coverageFiles') as CoverageFiles;
        for (const f of fileCoverages(files, t => this.itemOf.get(`${t.module} ${t.test}`))) under.run.addCoverage(f);
      }
    } catch (e) {
      await this.fetch(); // what ended before is shown
      if (!cancel.isCancellationRequested) this.fail(under, e);
    } finally {
      listener?.dispose();
      cancelled.dispose();
      this.under.delete(under);
      under.run.end();
    }
  }

  private fail(under: Under, e: unknown): void {
    const text = e instanceof Error ? e.message : String(e);
    this.output.error(text);
    under.run.appendOutput(`${text.replaceAll('\n', '\r\n')}\r\n`);
    void vscode.window.showErrorMessage(`catchlens: ${text}`);
  }

  /** Shows how the tests of a run ended that ran since then, each once; nothing of tests that ran older code. */
  private report(under: Under, since: number): void {
    for (const [id, t] of this.testOf) {
      const item = this.items.get(id);
      if (item === undefined || t.run === undefined || t.stale || t.run.at < since || under.told.get(id) === t.run.at || !asks(under, t)) continue;
      under.told.set(id, t.run.at);
      tell(under.run, item, t.run);
    }
  }

  dispose(): void {
    for (const p of this.parts) p.dispose();
  }
}

/** A test that had not run yet is asked for without its parameters, by which its invocations are named then. */
const asks = (u: Under, t: Test): boolean => u.wanted === undefined || [t.class, t.test, t.test.replace(/(#[^([{@]*)[([{@].*/s, '$1').trimEnd()].some(name => u.wanted?.has(name));

/** The name of a test below its class: nested classes, and invocations of parameters, are told. */
export function labelOf(t: Test): string {
  const at = t.test.indexOf('#');
  const nested = t.test.slice(0, at), name = t.test.slice(at + 1);
  return nested === t.class || !nested.startsWith(`${t.class}$`) ? name : `${nested.slice(t.class.length + 1)}.${name}`;
}

/** The file of the class of a test, unless it inherits the test from another. */
function fileOfClass(t: Test): string | undefined {
  const name = t.class.slice(t.class.lastIndexOf('.') + 1).split('$')[0] ?? '';
  return t.uri?.replace(/\.\w+$/, '').endsWith(`/${name}`) === true ? t.uri : undefined;
}

/** Shows how a test ended. */
export function tell(run: vscode.TestRun, item: vscode.TestItem, last: LastRun): void {
  const ms = last.durationMs;
  switch (last.outcome) {
    case 'pass':
      run.passed(item, ms);
      return;
    case 'skipped':
      run.skipped(item);
      return;
    case 'fail':
      run.failed(item, messageOf(last, 'The test failed.'), ms);
      return;
    case 'flaky':
      run.failed(item, messageOf(last, 'The test passed in one run and not in another.'), ms);
      return;
    default: // hang, exit, crash
      run.errored(item, messageOf(last, `The test did not end by itself: ${last.outcome}.`), ms);
  }
}

function messageOf(last: LastRun, otherwise: string): vscode.TestMessage {
  const text = last.message === undefined || last.message === '' ? otherwise : last.message;
  const message = new vscode.TestMessage([text, ...last.stack === undefined || last.stack === '' ? [] : [last.stack]].join('\n'));
  if (last.uri !== undefined) message.location = new vscode.Location(vscode.Uri.parse(last.uri), new vscode.Position(last.line, 0));
  return message;
}
