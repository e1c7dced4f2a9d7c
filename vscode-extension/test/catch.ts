// A catch as the server lists it.
import { Catch } from '../src/catches';

export function make(id: string, more: Partial<Catch> = {}): Catch {
  return {
    id, uri: 'file:///p/A.java', range: { start: { line: 9, character: 10 }, end: { line: 9, character: 15 } }, file: 'src/p/A.java', method: 'A.read',
    exceptions: ['IOException'], kind: 'copes', group: 'cope', verdict: 'copes wherever it comes from',
    title: '2 of 3 failures tested · copes wherever it comes from', tested: 2, failures: 3, unpredicted: 0, look: false, stale: false, running: false, runnable: true, ...more,
  };
}
