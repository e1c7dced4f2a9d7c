// This file shows the status item.
import * as vscode from 'vscode';
import { Failures, Status, statusLines, statusText } from './text';

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('catchlens.status', vscode.StatusBarAlignment.Left);
  /** What the server said last; undefined while none is running. */
  last: Status | undefined;
  private failures: Failures | undefined;

  constructor() {
    this.item.name = 'catchlens';
    this.item.command = 'catchlens.menu';
    this.item.show();
  }

  starting(): void {
    this.set('$(sync~spin) catchlens', 'catchlens is starting');
  }

  /** Nothing to do, and why. */
  idle(why: string): void {
    this.set('$(circle-slash) catchlens', why);
  }

  failed(why: string): void {
    this.set('$(error) catchlens', why, new vscode.ThemeColor('statusBarItem.errorBackground'));
  }

  update(s: Status): void {
    this.set(statusText(s), statusLines(s, this.failures).join('\n'));
    this.last = s;
  }

  /** Counts failures in the tooltip. */
  count(failures: Failures | undefined): void {
    this.failures = failures;
    if (this.last !== undefined) this.update(this.last);
  }

  private set(text: string, tooltip: string, background?: vscode.ThemeColor): void {
    this.last = undefined;
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `catchlens: ${tooltip}` };
    this.item.backgroundColor = background;
  }

  dispose(): void {
    this.item.dispose();
  }
}
