// This file words the view of call chains. It knows nothing of VS Code.

export interface Place {
  uri: string;
  line: number; // from 0
}

/** A row: a method that is called, and what is called from there. */
export interface ChainRow {
  key: string; // among the rows of the row above
  name: string;
  detail: string;
  state: 'untested' | 'not-recorded' | 'tested' | 'unknown';
  tests: string[]; // that took the chain
  call?: Place; // of an entry method the method itself
  method?: Place;
  rows: ChainRow[];
  left: boolean; // there are rows, which are to be asked for
}

/** What the server answers to catchlens/callChains. */
export interface ChainAnswer {
  pending: boolean; // the chains are being found
  class: string;
  method: string;
  title: string;
  notes: string[];
  length: number; // how many calls a chain has at most
  ran: boolean; // tests have recorded which chains they take
  all: number; // chains that are asked for
  tested: number; // of them
  rows: ChainRow[];
}

/** Which chains are shown. */
export const selections = ['all', 'untested', 'tested'] as const;
export type Selection = (typeof selections)[number];

/** What a reader has chosen of a tree. */
export interface Choice {
  only: Selection;
  filter: string;
  calls: number | undefined; // at most; undefined: as many as chains have
}

/** How the server is asked for what is chosen. */
export function asked(choice: Choice): { only?: string; filter?: string; calls?: number } {
  return {
    ...choice.only === 'all' ? {} : { only: choice.only },
    ...choice.filter === '' ? {} : { filter: choice.filter },
    ...choice.calls === undefined ? {} : { calls: choice.calls },
  };
}

/** What stands beside the title of the view: what is chosen. */
export function chosenText(choice: Choice): string {
  const parts: string[] = [];
  if (choice.only !== 'all') parts.push(`only ${choice.only}`);
  if (choice.calls !== undefined) parts.push(`at most ${calls(choice.calls)}`);
  if (choice.filter !== '') parts.push(`with "${choice.filter}"`);
  return parts.join(', ');
}

/** What stands above the rows. */
export function headText(answer: ChainAnswer, choice: Choice): string {
  const parts = [answer.title.replace(/\.?$/, '.')];
  if (chosenText(choice) !== '' && !answer.pending) {
    const what = answer.all === 0 ? 'None' : String(answer.all);
    parts.push(`${what} ${answer.all > 1 ? 'match' : 'matches'} the filter.`);
  }
  if (!answer.ran && !answer.pending) parts.push(notRecorded);
  return [...parts, ...answer.notes].join(' ');
}

const notRecorded = 'No run has recorded yet which chains tests take: '
  + 'Run the Tests That Have Not Recorded Call Chains does.'; // a command of this view

export const calls = (n: number): string => `${String(n)} ${n === 1 ? 'call' : 'calls'}`;

/** How many rows there are, with those below. */
export function countRows(rows: readonly ChainRow[]): number {
  return rows.reduce((sum, r) => sum + 1 + countRows(r.rows), 0);
}

/** What a screen reader says of a row. */
export function spoken(row: ChainRow): string {
  return [row.name, ...row.detail === '' ? [] : [row.detail.replaceAll(' · ', ', ')]].join(', ');
}

/** What is told of a row in more words: the tests that took the chain, of many the first. */
export function tooltip(row: ChainRow): string {
  const shown = row.tests.slice(0, shownTests), more = row.tests.length - shown.length;
  const rest = more > 0 ? `and ${String(more)} more tests` : '';
  return [row.name, row.detail, ...shown, rest].filter(l => l !== '').join('\n');
}

const shownTests = 12; // a tooltip with more does not fit a small screen
