// This file shows the status item, from what the server reports.
import * as vscode from 'vscode';

/** The server's session.Status. */
export interface Status {
  trusted: boolean;
  activity: string;
  catches: number;
  links: number;
  tests: number;
  problems: number;
  callGraph: string;
  jdk: string;
  unconfined?: string;
}

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('catchlens.status', vscode.StatusBarAlignment.Left);

  constructor() {
    this.item.name = 'catchlens';
    this.item.command = 'catchlens.show.output';
    this.starting();
    this.item.show();
  }

  starting(): void {
    this.item.text = '$(sync~spin) catchlens';
    this.item.tooltip = 'catchlens is starting';
  }

  failed(why: string): void {
    this.item.text = '$(error) catchlens';
    this.item.tooltip = why;
  }

  update(s: Status): void {
    const icon = s.activity !== '' ? '$(sync~spin)' : s.problems > 0 ? '$(warning)' : '$(shield)';
    this.item.text = `${icon} ${s.activity !== '' ? s.activity : `${String(s.catches)} catches`}`;
    const lines = [
      `${String(s.catches)} catches, ${String(s.links)} e-c links, ${String(s.tests)} tests known`,
      `call graph ${s.callGraph}${s.jdk !== '' ? `, JDK ${s.jdk}` : ''}`,
      s.trusted ? 'tests may be run' : 'nothing of this workspace is run until you ask for it',
    ];
    if (s.problems > 0) lines.push(`${String(s.problems)} problems with the input: see the report`);
    if (s.unconfined !== undefined && s.unconfined !== '') lines.push(`tests run without confinement: ${s.unconfined}`);
    this.item.tooltip = lines.join('\n');
  }

  dispose(): void {
    this.item.dispose();
  }
}
