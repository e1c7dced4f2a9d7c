// The VS Code extension: it starts the server and shows what only an editor can
// show. Everything else is in the server.
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import * as vscode from 'vscode';
import {
  DidChangeConfigurationNotification, LanguageClient, LanguageClientOptions, State,
} from 'vscode-languageclient/node';
import { serverOf } from './requests';
import { CatchList, failuresOf } from './catches';
import { registerChainCommands } from './chaincommands';
import { ChainTree } from './chaintree';
import { registerCommands } from './commands';
import { showDocument } from './documents';
import { Gutter } from './gutter';
import { registerAtCursor } from './atcursor';
import { CatchStore } from './list';
import { Declared } from './marks';
import { Commander } from './run';
import { findServer } from './server';
import { machineSettings, ofUser, settings } from './settings';
import { StatusItem } from './status';
import { Tests } from './tests';
import { logLevel, Status } from './text';
import { refreshSchema } from './toml';
import { CatchTree } from './tree';

let client: LanguageClient | undefined;
/** Starts and stops wait for each other in this chain. */
let turn: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('catchlens', { log: true });
  const status = new StatusItem();
  const list = new CatchStore(() =>
    client?.isRunning() === true ? client.sendRequest<CatchList>('catchlens/catches') : undefined);
  const tree = new CatchTree(list, context.workspaceState);
  const manifest = context.extension.packageJSON as { contributes: { colors: Declared[] } };
  const gutter = new Gutter(list, manifest.contributes.colors);
  list.onDidChange(() => { status.count(failuresOf(list.catches)); });
  const tests = new Tests(() => serverOf(client), output);
  const commander = new Commander(() => client, output);
  const callChains = new ChainTree(() => serverOf(client), e => { commander.report(e); });
  const restart = (): Promise<void> => inTurn(async () => {
    await stop(output);
    await start(context, { commander, output, status, list, tests, callChains });
  });
  const push = (): Promise<void> | undefined => client?.sendNotification(
    DidChangeConfigurationNotification.type, { settings: { catchlens: settings() } });
  // VS Code also says that a setting has changed where only its workspace value has, which does not count for these.
  let startedWith = ofStart();
  context.subscriptions.push(
    output, status, list, tree, gutter, tests, callChains,
    ...registerCommands(context, commander, status, tree, restart, output), ...registerAtCursor(list, commander),
    ...registerChainCommands(callChains, commander),
    vscode.workspace.onDidGrantWorkspaceTrust(push),
    vscode.workspace.onDidChangeConfiguration(e => {
      if (!e.affectsConfiguration('catchlens')) return undefined;
      if (startedWith === ofStart()) return push();
      startedWith = ofStart();
      return restart();
    }),
  );
  try {
    refreshSchema(context);
  } catch (e) {
    output.warn(`the schema of catchlens.toml is not kept up to date: ${String(e)}`);
  }
  await restart();
}

/** The settings that a running server cannot change. */
function ofStart(): string {
  return JSON.stringify([...machineSettings.map(ofUser), settings()['workers']]);
}

export async function deactivate(): Promise<void> {
  await inTurn(() => stop());
}

function inTurn(work: () => Promise<void>): Promise<void> {
  turn = turn.then(work, work);
  return turn;
}

async function stop(output?: vscode.LogOutputChannel): Promise<void> {
  const old = client;
  client = undefined;
  try {
    if (old?.needsStop() === true) await old.stop();
  } catch (e) {
    output?.warn(`the server did not stop in order: ${String(e)}`);
  }
}

/** What shows what the server says. */
interface Shown {
  commander: Commander;
  output: vscode.LogOutputChannel;
  status: StatusItem;
  list: CatchStore;
  tests: Tests;
  callChains: ChainTree;
}

async function start(context: vscode.ExtensionContext, shown: Shown): Promise<void> {
  const { commander, output, status, list, tests, callChains } = shown;
  const server = findServer(context);
  if (typeof server === 'string') {
    notStarted(server, shown);
    return;
  }
  if ((vscode.workspace.workspaceFolders ?? []).length === 0) {
    status.idle('Open the folder of a Java project: catchlens needs its class files.');
    list.empty('noFolder');
    return;
  }
  status.starting();
  output.info(`starting ${[server.command, ...server.args].join(' ')}`);
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: 'file', language: 'java' }],
    initializationOptions: () => ({
      ...settings(), statusNotifications: true, commandLinks: true, catchNotifications: true, testNotifications: true,
      callChainNotifications: true,
    }),
    outputChannel: output,
    stdioOptions: { stdout: input => { byLevel(input, output); }, stderr: input => { byLevel(input, output); } },
    // Links of hovers run these commands and no others, whatever a workspace's text looks like.
    markdown: {
      isTrusted: {
        enabledCommands: [
          'catchlens.runCatch', 'catchlens.showChains', 'catchlens.showMatrix', 'catchlens.explain',
          'catchlens.showCallChains', 'catchlens.runCallChains',
        ],
      },
    },
    middleware: {
      executeCommand: (command, args: unknown[]) => commander.execute(command, args),
      // The server is sent its settings; if it asks all the same, it gets the same ones,
      // not what a workspace's files say of them.
      workspace: {
        configuration: params => params.items.map(item => item.section === 'catchlens' ? settings() : null),
      },
      window: { showDocument: async (params, token, next) => await showDocument(params) ?? next(params, token) },
    },
  };
  const c = new LanguageClient('catchlens', 'catchlens', server, options);
  c.onNotification('catchlens/status', (s: Status) => { status.update(s); });
  c.onNotification('catchlens/catchesChanged', () => { list.refresh(); });
  c.onNotification('catchlens/testsChanged', () => { void tests.refresh(); });
  c.onNotification('catchlens/callChainsChanged', () => { void callChains.refresh(); });
  c.onDidChangeState(e => {
    if (client !== c) return;
    if (e.newState === State.Starting) status.starting();
    if (e.newState === State.Stopped) {
      status.failed('The catchlens server has stopped: see its output.');
      list.empty('failed');
    }
  });
  client = c;
  try {
    await c.start();
  } catch (e) {
    client = undefined;
    notStarted(`The catchlens server did not start: ${e instanceof Error ? e.message : String(e)}`, shown);
  }
}

/** Writes what the server logs into the output channel, each line by its level. */
function byLevel(input: Readable, output: vscode.LogOutputChannel): void {
  createInterface({ input, crlfDelay: Infinity }).on('line', line => { output[logLevel(line)](line); });
}

function notStarted(why: string, { output, status, list }: Shown): void {
  status.failed(why);
  list.empty('failed');
  output.error(why);
  const settingsButton = 'Open Settings', outputButton = 'Show Output';
  void vscode.window.showErrorMessage(why, settingsButton, outputButton).then(choice => {
    if (choice === settingsButton) {
      return vscode.commands.executeCommand('workbench.action.openSettings', 'catchlens.server');
    }
    if (choice === outputButton) output.show();
    return undefined;
  });
}
