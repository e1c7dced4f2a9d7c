// This file shows call chains as a tree: those to a method, or all of a component.
import * as vscode from 'vscode';
import {
  asked, calls, ChainAnswer, ChainRow, Choice, chosenText, countRows, headText, Place, Selection, spoken, tooltip,
} from './callchains';
import { Server } from './requests';

/** A row with the keys that lead to it. */
export interface PathRow { row: ChainRow; path: string[] }

/** Whose chains are shown: as the server knows the method, or a line of it. */
type Target = { whole: boolean } & (
  { class: string; method: string } | { textDocument: { uri: string }; line: number }
);

/** Trees with no more rows than fit a screen are open at first. */
const openRows = 40;

/** Shapes that differ, so that states can be told without the colour. */
const icons: Record<ChainRow['state'], readonly [icon: string, color: string]> = {
  'tested': ['pass', 'catchlens.copes'],
  'untested': ['circle-large-outline', 'catchlens.untested'],
  'not-recorded': ['question', 'catchlens.untested'],
  'unknown': ['circle-small', 'catchlens.accepted'],
};

export class ChainTree implements vscode.TreeDataProvider<PathRow>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<PathRow | undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view: vscode.TreeView<PathRow>;
  private target: Target | undefined;
  private answer: ChainAnswer | undefined;
  private choice: Choice = { only: 'all', filter: '', calls: undefined };
  private expanded = false; // the reader has opened all rows of this choice
  private drawn = 0; // VS Code keeps what is open by a row's ID: another number has it forgotten
  private questions = 0;
  private small = true; // the answer fits a screen

  constructor(private readonly server: () => Server | undefined, private readonly say: (error: unknown) => void) {
    this.view = vscode.window.createTreeView('catchlens.callChains', { treeDataProvider: this, showCollapseAll: true });
    this.view.onDidChangeVisibility(() => { void this.refresh(); });
    this.tell();
  }

  /** Shows the chains to the method in a line of a document, or all of its component. */
  async show(uri: string, line: number, whole: boolean): Promise<void> {
    const { target, choice } = this;
    this.target = { textDocument: { uri }, line, whole };
    this.choice = { only: choice.only, filter: '', calls: undefined };
    if (await this.anew()) await vscode.commands.executeCommand('catchlens.callChains.focus');
    else [this.target, this.choice] = [target, choice]; // what is shown stays
  }

  /** Asks again for what is shown, if anything is: it may be something else now. */
  async refresh(): Promise<void> {
    if (this.target === undefined || !this.view.visible || await this.ask()) return;
    this.target = this.answer = undefined; // it is gone: the view says how to begin
    this.tell();
    this.changes.fire(undefined);
  }

  async choose(choice: Partial<Choice>): Promise<void> {
    this.choice = { ...this.choice, ...choice };
    await this.anew();
  }

  only(only: Selection): Promise<void> {
    return this.choose({ only });
  }

  /** Asks for the words of a filter. */
  async askFilter(): Promise<void> {
    const text = await vscode.window.showInputBox({
      title: 'Filter call chains', prompt: 'Words that occur in methods of the chain, or in a test that takes it',
      value: this.choice.filter,
    });
    if (text !== undefined) await this.choose({ filter: text.trim() });
  }

  /** Asks how many calls chains have at most. */
  async askCalls(): Promise<void> {
    const most = this.answer?.length ?? 0;
    const label = (n: number): string =>
      n === 0 ? 'Entry methods only' : n === most ? `All: at most ${calls(n)}` : `At most ${calls(n)}`;
    const items = [...Array(most + 1).keys()].map(n => ({ label: label(n), calls: n === most ? undefined : n }));
    const choice = await vscode.window.showQuickPick(items, { title: 'How many calls do the chains have?' });
    if (choice !== undefined) await this.choose({ calls: choice.calls });
  }

  /** Opens every row that is there. */
  expandAll(): void {
    this.expanded = true;
    this.drawn++;
    this.changes.fire(undefined);
  }

  private anew(): Promise<boolean> {
    this.expanded = false;
    this.drawn++;
    return this.ask();
  }

  /** Asks the server; false: there is no such tree, which is told. */
  private async ask(): Promise<boolean> {
    const question = ++this.questions;
    try {
      const answer = await this.request();
      if (question !== this.questions || answer === undefined) return true;
      // A line may belong to another method after an edit, a name does not.
      const { class: name, method } = answer;
      if (name !== '') this.target = { class: name, method, whole: method === '' };
      this.answer = answer;
      this.small = countRows(answer.rows) <= openRows;
    } catch (e) {
      if (question !== this.questions) return true;
      this.say(e);
      return false;
    }
    this.tell();
    this.changes.fire(undefined);
    return true;
  }

  /** Sends the request for what is chosen of the target: all of it, or what is below the row of a path. */
  private async request(below?: string[]): Promise<ChainAnswer | undefined> {
    const params = { ...this.target, ...asked(this.choice), ...below === undefined ? {} : { below } };
    return await this.server()?.ask('catchlens/callChains', params) as ChainAnswer | undefined;
  }

  /** What stands around the rows. */
  private tell(): void {
    this.view.description = chosenText(this.choice);
    this.view.message = this.answer === undefined ? '' : headText(this.answer, this.choice);
    const context = {
      shown: this.answer !== undefined, only: this.choice.only,
      unknown: this.answer !== undefined && !this.answer.pending && !this.answer.ran,
    };
    for (const [key, value] of Object.entries(context)) {
      void vscode.commands.executeCommand('setContext', `catchlens.callChains.${key}`, value);
    }
  }

  async getChildren(of?: PathRow): Promise<PathRow[]> {
    const path = of?.path ?? [];
    let rows = of?.row.rows ?? this.answer?.rows ?? [];
    if (of?.row.left === true) {
      const question = this.questions;
      try {
        const answer = await this.request(path);
        if (question === this.questions) rows = answer?.rows ?? [];
      } catch (e) {
        this.say(e);
      }
    }
    return rows.map(row => ({ row, path: [...path, row.key] }));
  }

  getTreeItem({ row, path }: PathRow): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const below = this.expanded || this.small ? Expanded : Collapsed;
    const item = new vscode.TreeItem(row.name, row.left ? Collapsed : row.rows.length === 0 ? None : below);
    item.id = `${String(this.drawn)} ${path.join('\n')}`;
    item.description = row.detail;
    item.tooltip = tooltip(row);
    item.contextValue = row.method === undefined ? 'call' : 'call.method';
    const [icon, color] = icons[row.state];
    item.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
    const at = row.call ?? row.method;
    if (at !== undefined) {
      const options = { selection: startOf(at), preserveFocus: true };
      item.command = { command: 'vscode.open', title: 'Open the Call', arguments: [vscode.Uri.parse(at.uri), options] };
    }
    item.accessibilityInformation = { label: spoken(row) };
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.changes.dispose();
  }
}

/** Opens the method of a row. */
export async function openMethod(of: PathRow | undefined): Promise<void> {
  const at = of?.row.method;
  if (at !== undefined) await vscode.window.showTextDocument(vscode.Uri.parse(at.uri), { selection: startOf(at) });
}

function startOf({ line }: Place): vscode.Range {
  return new vscode.Range(line, 0, line, 0);
}
