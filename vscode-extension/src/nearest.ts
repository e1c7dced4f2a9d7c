// This file finds catches by places. It knows nothing of VS Code.
import { Catch } from './catches';

/** The nearest catch at or above a line (from 0) of a document. */
export function nearest(catches: readonly Catch[], uri: string, line: number): Catch | undefined {
  return inOrder(catches.filter(c => c.uri === uri && c.range.start.line <= line)).at(-1);
}

/** The catch after (1) or before (-1) a place, by file and line; past the last one the first, and the other way round. Without a place the first or the last. */
export function neighbour(catches: readonly Catch[], from: { uri: string; line: number } | undefined, step: 1 | -1): Catch | undefined {
  const all = inOrder(catches);
  if (step < 0) all.reverse();
  if (from === undefined) return all[0];
  const after = (c: Catch): boolean => step * (compare(c.uri, from.uri) || c.range.start.line - from.line) > 0;
  return all.find(after) ?? all[0];
}

function inOrder(catches: readonly Catch[]): Catch[] {
  return [...catches].sort((a, b) => compare(a.uri, b.uri) || a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character);
}

const compare = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0;
