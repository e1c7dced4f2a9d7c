// This file keeps the list of catches: it asks the server again when that says that it has changed.
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { Catch, CatchList } from './catches';

/** Who answers; undefined while no server runs. */
export type Ask = () => Promise<CatchList> | undefined;

/** Why the list is empty, or what it lacks. */
export type ListState = 'starting' | 'noFolder' | 'failed' | 'nothing' | 'notCompiled' | 'ready';

export class CatchStore implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  /** Fires when list or state differ from before. */
  readonly onDidChange = this.changes.event;
  catches: readonly Catch[] = [];
  state: ListState = 'starting';
  private asking: 'no' | 'once' | 'again' = 'no';

  constructor(private readonly ask: Ask) {}

  /** Asks the server; while an answer is awaited, once more after that. */
  refresh(): void {
    if (this.asking !== 'no') {
      this.asking = 'again';
      return;
    }
    void this.fetch();
  }

  private async fetch(): Promise<void> {
    do {
      this.asking = 'once';
      try {
        const list = await this.ask();
        // Until a new server has analysed, the list of the one before stands.
        if (list?.analysed === true) this.set(list.catches, stateOf(list.catches));
      } catch {
        // A server that has ended answers nothing; the status item says so.
      }
    } while (this.again());
    this.asking = 'no';
  }

  private again(): boolean {
    return this.asking === 'again';
  }

  /** There is nothing to list, and why. */
  empty(why: ListState): void {
    this.set([], why);
  }

  private set(catches: readonly Catch[], state: ListState): void {
    if (state === this.state && isDeepStrictEqual(catches, this.catches)) return;
    this.catches = catches;
    this.state = state;
    this.changes.fire();
  }

  dispose(): void {
    this.changes.dispose();
  }
}

function stateOf(catches: readonly Catch[]): ListState {
  if (catches.length === 0) return 'nothing';
  return catches.every(c => c.kind === 'not-compiled') ? 'notCompiled' : 'ready';
}
