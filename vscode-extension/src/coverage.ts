// This file makes what VS Code shows of coverage from what the server says of it.
import * as vscode from 'vscode';

interface Count {
  covered: number;
  total: number;
}

/** A test that covers something; stale: something has changed that it ran. */
export interface Covering {
  test: string;
  module: string;
  stale: boolean;
}

/** What the server answers to catchlens/coverageFiles. */
export interface CoverageFiles {
  known: boolean;
  files: { uri: string; lines: Count; branches: Count; methods: Count; tests: number[] }[];
  tests: Covering[];
}

interface Position {
  line: number;
  character: number;
}

export interface CoveredLine {
  line: number; // from 0
  state: 'covered' | 'partly' | 'missed' | 'stale';
  tests: number;
  left?: number;
  branches?: { range: { start: Position; end: Position }; ways: { label: string; taken: boolean }[] }[];
}

/** What the server answers to catchlens/coverage. */
export interface DocumentCoverage {
  known: boolean;
  version?: number;
  lines: CoveredLine[];
  tests: Covering[];
}

/** Further than any line is long. */
const lineEnd = 100_000;

/** Totals of all files, with the tests that run code of each where VS Code takes them (from 1.96 on). */
export function fileCoverages(c: CoverageFiles, itemOf: (test: Covering) => vscode.TestItem | undefined): vscode.FileCoverage[] {
  // The API of the oldest VS Code that is supported has no tests; the ones that do not know them leave the argument.
  const FileCoverage = vscode.FileCoverage as new (uri: vscode.Uri, lines: Count, branches: Count | undefined, methods: Count | undefined, tests: vscode.TestItem[]) => vscode.FileCoverage;
  return c.files.map(f => {
    const tests = f.tests.map(n => itemOf(c.tests[n])).filter(t => t !== undefined);
    return new FileCoverage(vscode.Uri.parse(f.uri), f.lines, f.branches.total > 0 ? f.branches : undefined, f.methods.total > 0 ? f.methods : undefined, tests);
  });
}

/** The lines of a file with their branches. Of stale ones nothing is shown: nobody knows whether they are covered as they are now. */
export function details(c: DocumentCoverage): vscode.StatementCoverage[] {
  return c.lines.filter(l => l.state !== 'stale').map(l => {
    const branches = (l.branches ?? []).flatMap(b => b.ways.map(w => new vscode.BranchCoverage(w.taken, rangeOf(b.range), w.label)));
    return new vscode.StatementCoverage(l.state !== 'missed', new vscode.Range(l.line, 0, l.line, lineEnd), branches);
  });
}

function rangeOf(r: { start: Position; end: Position }): vscode.Range {
  return new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
}
