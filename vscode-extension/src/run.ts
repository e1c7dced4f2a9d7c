// This file sends commands to the server: runs with a progress that can be
// cancelled, questions that need the user's answer first, errors as sentences.
import * as vscode from 'vscode';
import { ExecuteCommandParams, ExecuteCommandRequest, LanguageClient, WorkDoneProgress, WorkDoneProgressCancelNotification } from 'vscode-languageclient/node';
import { askReason } from './judge';
import { showPlace } from './places';
import { isStopped, RunSummary, runText } from './text';

export class Commander {
  private runs = 0;

  constructor(private readonly client: () => LanguageClient | undefined, private readonly output: vscode.LogOutputChannel) {}

  /** Executes a command of the server, on behalf of a lens, a code action or the palette. */
  async execute(command: string, args: unknown[] = []): Promise<unknown> {
    try {
      switch (command) {
        case 'catchlens.runCatch':
          return await this.run('Running this catch', command, args);
        case 'catchlens.runAll':
          return await this.run('Running all catches', command, args);
        case 'catchlens.judgeInfeasible':
          return await this.judge(command, args);
        default:
          return await this.send({ command, arguments: args });
      }
    } catch (e) {
      this.report(e);
      return undefined;
    }
  }

  private async send(params: ExecuteCommandParams): Promise<unknown> {
    const client = this.client();
    if (client === undefined) throw new Error('The server is not running.');
    return client.sendRequest(ExecuteCommandRequest.type, params) as Promise<unknown>;
  }

  private async run(title: string, command: string, args: unknown[]): Promise<unknown> {
    const client = this.client();
    if (client !== undefined && !vscode.workspace.isTrusted) {
      const manage = 'Manage Workspace Trust';
      const choice = await vscode.window.showWarningMessage('catchlens: running tests executes code of this workspace, which you have not trusted yet.', manage);
      if (choice === manage) await vscode.commands.executeCommand('workbench.trust.manage');
      return undefined;
    }
    const summary = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `catchlens: ${title}`, cancellable: true }, async (progress, cancel) => {
      const token = `catchlens-run-${String(++this.runs)}`;
      let done = 0;
      const listener = client?.onProgress(WorkDoneProgress.type, token, value => {
        if (value.kind === 'end') return;
        const percent = value.percentage ?? done;
        progress.report({ increment: percent - done, ...(value.message === undefined ? {} : { message: value.message }) });
        done = percent;
      });
      cancel.onCancellationRequested(() => client?.sendNotification(WorkDoneProgressCancelNotification.type, { token }));
      try {
        return await this.send({ command, arguments: args, workDoneToken: token }) as RunSummary;
      } catch (e) {
        if (!cancel.isCancellationRequested && !isStopped(e)) throw e;
        this.output.info('stopped; results that were finished are kept');
        return undefined;
      } finally {
        listener?.dispose();
      }
    });
    if (summary !== undefined) this.tell(command, summary);
    return summary;
  }

  private tell(command: string, summary: RunSummary): void {
    const text = runText(summary);
    this.output.info(text);
    for (const note of summary.notes) this.output.warn(note);
    if (summary.verdict !== undefined && summary.catch !== undefined) {
      const matrix = 'Show Runs';
      void vscode.window.showInformationMessage(`catchlens: ${summary.verdict}`, matrix).then(choice =>
        choice === matrix ? this.execute('catchlens.showMatrix', [summary.catch]) : undefined);
      return;
    }
    const first = summary.new?.[0];
    if (command === 'catchlens.runAll') {
      const report = 'Open Report', latest = 'Show What Is New';
      const notes = summary.notes.length > 0 ? ['Show Notes'] : [];
      void vscode.window.showInformationMessage(`catchlens: ${text}`, ...(first === undefined ? [] : [latest]), report, ...notes).then(choice => {
        if (choice === report) return this.execute('catchlens.report');
        if (choice === latest && first !== undefined) return showPlace(first, e => { this.report(e); });
        if (choice !== undefined) this.output.show();
        return undefined;
      });
    }
  }

  private async judge(command: string, args: unknown[]): Promise<unknown> {
    const judged = await askReason(args);
    return judged === undefined ? undefined : this.send({ command, arguments: judged });
  }

  /** Tells the user of an error. */
  report(e: unknown): void {
    if (isStopped(e)) return; // by the user, who knows
    const text = e instanceof Error ? e.message : String(e);
    this.output.error(text);
    const show = 'Show Output';
    void vscode.window.showErrorMessage(`catchlens: ${text}`, show).then(choice => {
      if (choice === show) this.output.show();
    });
  }
}
