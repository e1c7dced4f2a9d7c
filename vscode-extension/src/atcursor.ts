// This file adds the commands for the catch at the cursor, and those that go from catch to catch.
import * as vscode from 'vscode';
import { Catch } from './catches';
import { CatchStore } from './list';
import { marks } from './marks';
import { nearest, neighbour } from './nearest';
import { Commander } from './run';

/** Registers them, and tells VS Code whether a catch has been run, for the walkthrough. */
export function registerAtCursor(store: CatchStore, commander: Commander): vscode.Disposable[] {
  const on = (name: string, run: () => unknown): vscode.Disposable => vscode.commands.registerCommand(name, run);
  let ran = false;
  return [
    on('catchlens.run.here', () => withCursor((uri, line) => commander.execute('catchlens.runCatch', [uri, line]))),
    on('catchlens.show.failures', () => withCursor((uri, line) => {
      const c = nearest(resolved(store), uri, line);
      if (c !== undefined) return commander.execute('catchlens.showChains', [c.id]);
      say('there is no catch at or above the cursor.');
      return undefined;
    })),
    on('catchlens.show.matrix', () => withCursor((uri, line) => commander.execute('catchlens.showMatrix', [uri, line]))),
    on('catchlens.go.next', () => go(store, 1)),
    on('catchlens.go.previous', () => go(store, -1)),
    on('catchlens.show.list', () => vscode.commands.executeCommand('catchlens.catches.focus')),
    store.onDidChange(() => {
      const now = store.catches.some(c => marks[c.kind] !== undefined);
      if (now !== ran) void vscode.commands.executeCommand('setContext', 'catchlens.catches.ran', ran = now);
    }),
  ];
}

/** The catches with URIs as VS Code writes them. */
function resolved(store: CatchStore): Catch[] {
  return store.catches.map(c => ({ ...c, uri: vscode.Uri.parse(c.uri).toString() }));
}

/** Calls f with the document and the line of the cursor, which has to be in a Java file. */
async function withCursor(f: (uri: string, line: number) => unknown): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId === 'java') await f(editor.document.uri.toString(), editor.selection.active.line);
  else say('put the cursor into a catch of a Java file first.');
}

/** Shows the next catch to look at (1), or the previous one (-1). */
async function go(store: CatchStore, step: 1 | -1): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const from = editor === undefined ? undefined : { uri: editor.document.uri.toString(), line: editor.selection.active.line };
  const c = neighbour(resolved(store).filter(c => c.look), from, step);
  if (c === undefined) {
    say('no catch is known to ask for a look: none fails if the exception comes earlier, or met what was not predicted.');
    return;
  }
  const { start, end } = c.range;
  await vscode.window.showTextDocument(vscode.Uri.parse(c.uri), { selection: new vscode.Range(start.line, start.character, end.line, end.character) });
}

function say(text: string): void {
  void vscode.window.showInformationMessage(`catchlens: ${text}`);
}
