// The VS Code extension: it starts the server and shows what only an editor can
// show. Everything else is in the server.
import * as vscode from 'vscode';
import { LanguageClient, LanguageClientOptions, State } from 'vscode-languageclient/node';
import { executeCommand, registerCommands } from './commands';
import { findServer } from './server';
import { Status, StatusItem } from './status';

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('catchlens', { log: true });
  const status = new StatusItem();
  const restart = async (): Promise<void> => {
    await deactivate();
    await start(context, output, status);
  };
  context.subscriptions.push(output, status, ...registerCommands(() => client, restart, output));
  context.subscriptions.push(
    vscode.workspace.onDidGrantWorkspaceTrust(() => client?.sendNotification('workspace/didChangeConfiguration', { settings: { catchlens: settings() } })),
    vscode.workspace.onDidChangeConfiguration(async e => {
      if (e.affectsConfiguration('catchlens.server') || e.affectsConfiguration('catchlens.cacheDir')) await restart();
      else if (e.affectsConfiguration('catchlens')) await client?.sendNotification('workspace/didChangeConfiguration', { settings: { catchlens: settings() } });
    }),
  );
  await start(context, output, status);
}

export async function deactivate(): Promise<void> {
  const c = client;
  client = undefined;
  await c?.stop();
}

async function start(context: vscode.ExtensionContext, output: vscode.LogOutputChannel, status: StatusItem): Promise<void> {
  const server = findServer(context);
  if (typeof server === 'string') {
    status.failed(server);
    output.error(server);
    void vscode.window.showErrorMessage(server);
    return;
  }
  status.starting();
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: 'file', language: 'java' }],
    initializationOptions: settings(),
    outputChannel: output,
    middleware: { executeCommand },
  };
  const c = new LanguageClient('catchlens', 'catchlens', server, options);
  c.onNotification('catchlens/status', (s: Status) => { status.update(s); });
  c.onDidChangeState(e => {
    if (e.newState === State.Stopped && client === c) status.failed('The catchlens server has stopped: see its output.');
  });
  client = c;
  try {
    await c.start();
  } catch (e) {
    status.failed(String(e));
    output.error(String(e));
  }
}

/** The settings as the server reads them. In a trusted workspace VS Code's trust stands for the user's word, except for running without being asked. */
function settings(): Record<string, unknown> {
  const all = vscode.workspace.getConfiguration('catchlens');
  const names = ['callGraph', 'exceptions', 'sites', 'entryPoints', 'workers', 'lens', 'lensInTests', 'hints', 'cacheDir'];
  return { ...Object.fromEntries(names.map(n => [n, all.get(n)])), trusted: vscode.workspace.isTrusted };
}
