// What the tested files use of VS Code's tests and their coverage, outside VS Code.
interface Uri {
  toString: () => string;
}

interface Range {
  start: { line: number; character: number };
}

export class Position {
  constructor(readonly line: number, readonly character: number) {}
}

export class Location {
  constructor(readonly uri: Uri, readonly range: Position) {}
}

export class TestMessage {
  location: Location | undefined;
  constructor(readonly message: string) {}
}

export class BranchCoverage {
  constructor(readonly executed: boolean, readonly location: Range, readonly label: string) {}
}

export class StatementCoverage {
  constructor(readonly executed: boolean, readonly location: Range, readonly branches: BranchCoverage[]) {}
}

export class FileCoverage {
  constructor(readonly uri: Uri, readonly lines: object, readonly branches: object | undefined, readonly methods: object | undefined, readonly tests: TestItem[]) {}
}

export const TestRunProfileKind = { Run: 1, Debug: 2, Coverage: 3 };

export class TestItems {
  list: TestItem[] = [];
  replace(items: TestItem[]): void { this.list = [...items]; }
  forEach(f: (item: TestItem) => void): void { this.list.forEach(f); }
}

export class TestItem {
  readonly children = new TestItems();
  description: string | undefined;
  range: Range | undefined;
  constructor(readonly id: string, readonly label: string, readonly uri?: Uri) {}
}

/** What a run was told, in words. */
export class TestRun {
  readonly said: string[] = [];
  readonly covered: FileCoverage[] = [];
  enqueued(i: TestItem): void { this.said.push(`enqueued ${i.label}`); }
  passed(i: TestItem, ms: number): void { this.said.push(`passed ${i.label} ${String(ms)}`); }
  skipped(i: TestItem): void { this.said.push(`skipped ${i.label}`); }
  failed(i: TestItem, m: TestMessage, ms: number): void { this.said.push(`failed ${i.label} ${String(ms)} ${m.message} ${String(m.location?.uri.toString())}:${String(m.location?.range.line)}`); }
  errored(i: TestItem, m: TestMessage): void { this.said.push(`errored ${i.label} ${m.message}`); }
  appendOutput(text: string): void { this.said.push(`output ${text.trim()}`); }
  addCoverage(f: FileCoverage): void { this.covered.push(f); }
  end(): void { this.said.push('end'); }
}

export interface Profile {
  label: string;
  kind: number;
  run: (request: object, token: object) => Promise<void>;
  loadDetailedCoverage?: (run: TestRun, file: FileCoverage) => Promise<StatementCoverage[]>;
  loadDetailedCoverageForTest?: (run: TestRun, file: FileCoverage, item: TestItem) => Promise<StatementCoverage[]>;
}

export class TestController {
  readonly items = new TestItems();
  readonly profiles: Profile[] = [];
  readonly runs: TestRun[] = [];
  readonly outdated: string[] = [];
  createTestItem(id: string, label: string, uri?: Uri): TestItem { return new TestItem(id, label, uri); }
  createRunProfile(label: string, kind: number, run: Profile['run']): Profile {
    const profile: Profile = { label, kind, run };
    this.profiles.push(profile);
    return profile;
  }
  createTestRun(): TestRun {
    const run = new TestRun();
    this.runs.push(run);
    return run;
  }
  invalidateTestResults(items: TestItem[]): void { this.outdated.push(...items.map(i => i.label)); }
  dispose(): void { this.items.replace([]); }
}

/** The controllers that were made. */
export const controllers: TestController[] = [];

export const tests = {
  createTestController: (): TestController => {
    const c = new TestController();
    controllers.push(c);
    return c;
  },
};
