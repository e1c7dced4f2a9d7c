// This file adds the commands of the view of call chains.
import * as vscode from 'vscode';
import { ChainTree, openMethod, PathRow } from './chaintree';
import { Commander } from './run';

/** Registers the commands that the manifest declares for the view. */
export function registerChainCommands(tree: ChainTree, commander: Commander): vscode.Disposable[] {
  const on = (name: string, run: () => unknown): vscode.Disposable => vscode.commands.registerCommand(name, run);
  return [
    on('catchlens.show.callChains', () => withMethod((uri, line) => tree.show(uri, line, false))),
    on('catchlens.show.componentChains', () => withMethod((uri, line) => tree.show(uri, line, true))),
    on('catchlens.callChains.filter', () => tree.askFilter()),
    on('catchlens.callChains.depth', () => tree.askCalls()),
    on('catchlens.callChains.clear', () => tree.choose({ filter: '', calls: undefined, only: 'all' })),
    on('catchlens.callChains.all', () => tree.only('all')),
    on('catchlens.callChains.untested', () => tree.only('untested')),
    on('catchlens.callChains.tested', () => tree.only('tested')),
    on('catchlens.callChains.expand', () => { tree.expandAll(); }),
    on('catchlens.callChains.run', () => commander.execute('catchlens.runCallChains')),
    vscode.commands.registerCommand('catchlens.callChains.method', (row?: PathRow) => openMethod(row)),
  ];
}

/** Calls f with the document and the line of the cursor, which has to be in a Java file. */
async function withMethod(f: (uri: string, line: number) => unknown): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId === 'java') await f(editor.document.uri.toString(), editor.selection.active.line);
  else void vscode.window.showInformationMessage('catchlens: put the cursor into a method of a Java file first.');
}
