// This file adds the palette's commands and the menu of the status item.
import * as vscode from 'vscode';
import { Grouping } from './catches';
import { Commander } from './run';
import { StatusItem } from './status';
import { completeToml } from './toml';
import { CatchTree, Row } from './tree';

/** The palette's commands and what each asks of the server. */
const ofServer: Record<string, [command: string, ...args: string[]]> = {
  'catchlens.run.all': ['catchlens.runAll'],
  'catchlens.run.again': ['catchlens.runAll', 'again'],
  'catchlens.stop': ['catchlens.cancel'],
  'catchlens.pause.runs': ['catchlens.pause'],
  'catchlens.resume.runs': ['catchlens.resume'],
  'catchlens.analyze.again': ['catchlens.reload'],
  'catchlens.open.report': ['catchlens.report'],
};

/** The commands of a row of the list, and what each asks of the server. */
const ofRow: Record<string, string> = {
  'catchlens.list.run': 'catchlens.runCatch',
  'catchlens.list.failures': 'catchlens.showChains',
  'catchlens.list.matrix': 'catchlens.showMatrix',
};

interface MenuItem extends vscode.QuickPickItem {
  command: string;
}

/** Registers the commands that the manifest declares. */
export function registerCommands(context: vscode.ExtensionContext, commander: Commander, status: StatusItem, tree: CatchTree, restart: () => Promise<void>, output: vscode.OutputChannel): vscode.Disposable[] {
  const on = (name: string, run: () => unknown): vscode.Disposable => vscode.commands.registerCommand(name, run);
  return [
    ...Object.entries(ofServer).map(([name, [command, ...args]]) => on(name, () => commander.execute(command, args))),
    on('catchlens.show.output', () => { output.show(); }),
    on('catchlens.restart', restart),
    on('catchlens.menu', () => menu(status)),
    on('catchlens.complete.toml', () => completeToml(context)),
    on('catchlens.list.filter', () => { tree.askFilter(); }),
    on('catchlens.list.clear', () => { tree.setFilter(''); }),
    on('catchlens.list.byVerdict', () => tree.groupBy('verdict' satisfies Grouping)),
    on('catchlens.list.byFile', () => tree.groupBy('file' satisfies Grouping)),
    on('catchlens.list.byException', () => tree.groupBy('exception' satisfies Grouping)),
    ...Object.entries(ofRow).map(([name, command]) => vscode.commands.registerCommand(name, (row?: Row) => row !== undefined && 'catch' in row ? commander.execute(command, [row.catch.id]) : undefined)),
  ];
}

async function menu(status: StatusItem): Promise<void> {
  const running = status.last;
  const items: MenuItem[] = [];
  if (running !== undefined) {
    if (running.activity !== '') items.push({ label: '$(debug-stop) Stop', description: running.activity, command: 'catchlens.stop' });
    if (vscode.workspace.isTrusted) items.push({ label: '$(run-all) Run All Catches', description: 'what is known and unchanged is not run again', command: 'catchlens.run.all' });
    else items.push({ label: '$(shield) Manage Workspace Trust', description: 'nothing of this workspace is executed', command: 'workbench.trust.manage' });
    items.push({ label: '$(book) Open HTML Report', command: 'catchlens.open.report' }, { label: '$(refresh) Analyse Again', command: 'catchlens.analyze.again' });
  }
  items.push({ label: '$(output) Show Output', command: 'catchlens.show.output' }, { label: '$(debug-restart) Restart Server', command: 'catchlens.restart' });
  const choice = await vscode.window.showQuickPick(items, { title: 'catchlens' });
  if (choice !== undefined) await vscode.commands.executeCommand(choice.command);
}
