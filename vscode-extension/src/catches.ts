// This file groups, filters and words the list of catches. It knows nothing of VS Code.

/** What the server answers to catchlens/catches. */
export interface CatchList {
  analysed: boolean; // false: the first analysis is not done yet
  catches: Catch[]; // the worst first
}

interface Position {
  line: number;
  character: number;
}

/** A catch outside tests. */
export interface Catch {
  id: string;
  uri: string;
  version?: number; // of the open document that the range is of
  range: { start: Position; end: Position }; // of the keyword
  file: string;
  method: string;
  exceptions: string[];
  kind: string;
  group: string; // kind in words
  verdict: string;
  title: string; // of the lens
  tested: number; // failures
  failures: number;
  unpredicted: number;
  look: boolean;
  stale: boolean;
  running: boolean;
  runnable: boolean;
}

/** By what the list can be grouped; the first is the default. */
export const groupings = ['verdict', 'file', 'exception'] as const;
export type Grouping = (typeof groupings)[number];

export interface Group {
  key: string;
  label: string;
  catches: Catch[]; // as in the list
}

/** The groups of a list: verdicts from the worst, files and exceptions by name. A catch of several exceptions is in the group of each. */
export function groupsOf(catches: readonly Catch[], by: Grouping): Group[] {
  const groups = new Map<string, Group>();
  for (const c of catches) {
    for (const [key, label] of keysOf(c, by)) {
      const group = groups.get(key) ?? { key, label, catches: [] };
      groups.set(key, group);
      group.catches.push(c);
    }
  }
  const all = [...groups.values()];
  if (by === 'verdict') return all;
  if (by === 'file') for (const g of all) g.catches.sort((a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character);
  return all.sort((a, b) => a.label.localeCompare(b.label) || a.key.localeCompare(b.key));
}

function keysOf(c: Catch, by: Grouping): (readonly [key: string, label: string])[] {
  switch (by) {
    case 'verdict':
      return [[c.kind, c.group.charAt(0).toUpperCase() + c.group.slice(1)]];
    case 'file':
      return [[c.file, c.file.slice(c.file.lastIndexOf('/') + 1)]];
    case 'exception':
      return [...new Set(c.exceptions)].map(e => [e, e] as const);
  }
}

/** The catches in whose words or place every word of a filter occurs. */
export function filtered(catches: readonly Catch[], filter: string): Catch[] {
  const words = filter.toLowerCase().split(/\s+/).filter(w => w !== '');
  return catches.filter(c => {
    const text = [c.file, c.method, ...c.exceptions, c.group, c.title, c.verdict].join('\n').toLowerCase();
    return words.every(w => text.includes(w));
  });
}

/** How many catches ask for a look: they depend on the source, or met what was not predicted. */
export const toLookAt = (catches: readonly Catch[]): number => catches.filter(c => c.look).length;

/** The failures of all catches. */
export function failuresOf(catches: readonly Catch[]): { tested: number; all: number } | undefined {
  if (catches.length === 0) return undefined;
  return catches.reduce((sum, c) => ({ tested: sum.tested + c.tested, all: sum.all + c.failures }), { tested: 0, all: 0 });
}

/** What stands beside the name of a group. */
export function groupText(g: Group): string {
  const look = toLookAt(g.catches);
  return look > 0 && look < g.catches.length ? `${String(g.catches.length)}, ${String(look)} to look at` : String(g.catches.length);
}

/** The name of a catch in a group: methods of one name, and catches of one method, are told apart by the line. */
export function nameOf(c: Catch, by: Grouping): string {
  return by === 'file' ? clause(c) : `${c.method}:${line(c)}`;
}

/** What stands beside it: what its group does not say, with the numbers. */
export function detailOf(c: Catch, by: Grouping): string {
  const parts: string[] = [];
  if (by === 'verdict') parts.push(clause(c));
  if (by === 'file') parts.push(`line ${line(c)}`);
  if (by === 'verdict') parts.push(numbers(c));
  else parts.push(c.title);
  if (by === 'verdict' && c.stale) parts.push('stale');
  if (c.running) parts.push('running…');
  return parts.filter(p => p !== '').join(' · ');
}

/** What a screen reader says of a catch. */
export function spoken(c: Catch): string {
  return [`${clause(c)} in ${c.method}`, c.title.replaceAll(' · ', ', '), `${c.file} line ${line(c)}`, ...c.running ? ['running'] : []].join(', ');
}

const clause = (c: Catch): string => `catch (${c.exceptions.join(' | ')})`;

const line = (c: Catch): string => String(c.range.start.line + 1);

function numbers(c: Catch): string {
  const surprise = c.unpredicted > 0 ? `, ${String(c.unpredicted)} not predicted` : '';
  return c.failures === 0 && surprise === '' ? '' : `${String(c.tested)} of ${String(c.failures)} failures tested${surprise}`;
}
