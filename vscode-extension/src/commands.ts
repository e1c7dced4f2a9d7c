// This file adds the palette's commands, and asks the user where a command of
// the server needs an answer.
import * as vscode from 'vscode';
import { ExecuteCommandRequest, LanguageClient } from 'vscode-languageclient/node';

export type ClientSource = () => LanguageClient | undefined;

/** Registers the commands of the palette. */
export function registerCommands(client: ClientSource, restart: () => Promise<void>, output: vscode.OutputChannel): vscode.Disposable[] {
  const send = (command: string, ...args: unknown[]) => async (): Promise<unknown> => {
    const c = client();
    if (c === undefined) {
      await vscode.window.showWarningMessage('catchlens is not running: see its output.');
      return undefined;
    }
    return c.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
  };
  const on = (name: string, run: () => unknown) => vscode.commands.registerCommand(name, run);
  return [
    on('catchlens.run.all', send('catchlens.runAll')),
    on('catchlens.run.again', send('catchlens.runAll', 'again')),
    on('catchlens.stop', send('catchlens.cancel')),
    on('catchlens.analyze.again', send('catchlens.reload')),
    on('catchlens.open.report', send('catchlens.report')),
    on('catchlens.show.output', () => { output.show(); }),
    on('catchlens.restart', restart),
  ];
}

/** Wraps the execution of the server's commands: asks what they need to know, and shows what they write. */
export async function executeCommand(command: string, args: unknown[], next: (command: string, args: unknown[]) => unknown): Promise<unknown> {
  switch (command) {
    case 'catchlens.runCatch':
    case 'catchlens.runAll':
      if (!vscode.workspace.isTrusted) {
        await vscode.window.showWarningMessage('Running tests executes code of this workspace. Trust the workspace first.', 'Manage Trust')
          .then(choice => choice === undefined ? undefined : vscode.commands.executeCommand('workbench.trust.manage'));
        return undefined;
      }
      return next(command, args);
    case 'catchlens.judgeInfeasible': {
      if (args.length > 1) return next(command, args);
      const reason = await vscode.window.showInputBox({
        title: 'Why can this exception not arrive here?', prompt: 'The reason is kept in catchlens.toml.',
        validateInput: text => text.trim() === '' ? 'A reason is needed.' : undefined,
      });
      return reason === undefined ? undefined : next(command, [...args, reason]);
    }
    case 'catchlens.showChains': {
      const written = await next(command, args) as { uri: string } | undefined;
      if (written !== undefined) await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.parse(written.uri));
      return written;
    }
    default:
      return next(command, args);
  }
}
