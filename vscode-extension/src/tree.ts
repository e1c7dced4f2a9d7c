// This file shows the list of catches as a tree.
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { Catch, detailOf, filtered, Group, Grouping, groupings, groupsOf, groupText, nameOf, spoken, toLookAt } from './catches';
import { CatchStore } from './list';

/** A row: a group with the rows in it, or a catch. */
export type Row = GroupRow | CatchRow;
interface CatchRow { catch: Catch; group: Group }
/** VS Code asks for what is in a group when it draws it, which may be after the next update. So a
 * group that is there no more keeps its rows: without them the view would be empty for a moment. */
interface GroupRow { group: Group; contents: CatchRow[] }

/** The icon of each kind: shapes like those beside the code (marks.ts), so that they can be told without the colour. */
const icons: Record<string, readonly [icon: string, color?: string]> = {
  'depends': ['warning', 'catchlens.depends'],
  'unpredicted': ['debug-breakpoint-log', 'catchlens.depends'],
  'untested': ['circle-large-outline', 'catchlens.untested'],
  'faults': ['circle-large-outline', 'catchlens.untested'],
  'unknown': ['question', 'catchlens.untested'],
  'copes': ['pass', 'catchlens.copes'],
  'accepted': ['circle-small-filled', 'catchlens.accepted'],
};

export class CatchTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<Row[] | undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view: vscode.TreeView<Row>;
  private rows: GroupRow[] = [];
  private filter = '';
  private readonly parts: { dispose: () => unknown }[];

  constructor(private readonly store: CatchStore, private readonly memory: vscode.Memento) {
    this.view = vscode.window.createTreeView('catchlens.catches', { treeDataProvider: this, showCollapseAll: true });
    this.parts = [this.view, this.changes, store.onDidChange(() => { this.update(); }), vscode.workspace.onDidGrantWorkspaceTrust(() => { this.say(); })];
    this.update();
  }

  private get by(): Grouping {
    const kept = this.memory.get<string>('grouping');
    return groupings.find(g => g === kept) ?? groupings[0];
  }

  async groupBy(by: Grouping): Promise<void> {
    await this.memory.update('grouping', by);
    this.update();
  }

  /** Asks for the words of a filter, shown as they are typed. */
  askFilter(): void {
    const before = this.filter, box = vscode.window.createInputBox();
    box.title = 'Filter catches';
    box.placeholder = 'Words of a file, method, exception or verdict';
    box.value = before;
    let kept = false;
    box.onDidChangeValue(text => { this.setFilter(text); });
    box.onDidAccept(() => { kept = true; box.hide(); });
    box.onDidHide(() => {
      if (!kept) this.setFilter(before);
      box.dispose();
    });
    box.show();
  }

  setFilter(text: string): void {
    this.filter = text.trim();
    this.update();
  }

  /** Tells VS Code of the rows that have changed, so that the others are left alone. */
  private update(): void {
    // Catches of which none is compiled say nothing; the view says what to do in their place.
    const shown = this.store.state === 'ready' ? filtered(this.store.catches, this.filter) : [];
    const before = this.rows, old = new Map(before.map(r => [r.group.key, r])), changed: Row[] = [];
    this.rows = groupsOf(shown, this.by).map(group => {
      const contents = group.catches.map(c => ({ catch: c, group })), row = old.get(group.key) ?? { group, contents };
      if (!isDeepStrictEqual(row.group, group)) changed.push(row);
      row.group = group;
      row.contents = contents;
      return row;
    });
    const same = before.length === this.rows.length && before.every((r, i) => r === this.rows[i]) && this.shape === this.shapeNow();
    this.shape = this.shapeNow();
    this.say();
    if (!same) this.changes.fire(undefined);
    else if (changed.length > 0) this.changes.fire(changed);
  }

  /** What every row depends on. */
  private shape = '';
  private shapeNow(): string {
    return JSON.stringify([this.by, this.filter]);
  }

  /** What stands around the rows: the badge, the filter, and what VS Code shows in their place. */
  private say(): void {
    const look = toLookAt(this.store.catches);
    this.view.badge = look === 0 ? undefined : { value: look, tooltip: `${String(look)} ${look === 1 ? 'catch' : 'catches'} to look at` };
    this.view.description = this.filter === '' ? '' : `filtered by "${this.filter}"`;
    this.view.message = this.rows.length > 0 && !vscode.workspace.isTrusted ? 'Restricted Mode: nothing of this workspace is run.' : '';
    const empty = this.store.state === 'ready' && this.rows.length === 0 ? 'filtered' : this.store.state;
    for (const [key, value] of [['state', empty], ['grouping', this.by], ['filter', this.filter !== '']] as const) {
      void vscode.commands.executeCommand('setContext', `catchlens.catches.${key}`, value);
    }
  }

  getChildren(row?: Row): Row[] {
    if (row === undefined) return this.rows;
    return 'contents' in row ? row.contents : [];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return 'catch' in row ? this.ofCatch(row.catch, row.group) : this.ofGroup(row.group);
  }

  private ofGroup(group: Group): vscode.TreeItem {
    const first = this.rows[0]?.group === group && this.by === 'verdict';
    const open = first || this.filter !== '' || group.catches.some(c => c.look);
    const item = new vscode.TreeItem(group.label, open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed);
    item.id = `${this.shapeNow()} ${group.key}`;
    item.description = groupText(group);
    item.contextValue = 'group';
    const [one] = group.catches;
    if (this.by === 'verdict') setIcon(item, one.kind);
    else item.iconPath = new vscode.ThemeIcon(this.by === 'file' ? 'file-code' : 'symbol-event');
    item.tooltip = this.by === 'file' ? one.file : undefined;
    item.accessibilityInformation = { label: `${group.label}: ${String(group.catches.length)} ${group.catches.length === 1 ? 'catch' : 'catches'}` };
    return item;
  }

  private ofCatch(c: Catch, group: Group): vscode.TreeItem {
    const item = new vscode.TreeItem(nameOf(c, this.by), vscode.TreeItemCollapsibleState.None);
    item.id = `${this.shapeNow()} ${group.key} ${c.id}`;
    item.description = detailOf(c, this.by);
    item.tooltip = `${c.title}\n${c.file}:${String(c.range.start.line + 1)}`;
    item.contextValue = c.runnable ? 'catch.runnable' : 'catch';
    setIcon(item, c.kind);
    const { start, end } = c.range, selection = new vscode.Range(start.line, start.character, end.line, end.character);
    item.command = { command: 'vscode.open', title: 'Open', arguments: [vscode.Uri.parse(c.uri), { selection }] };
    item.accessibilityInformation = { label: spoken(c) };
    return item;
  }

  dispose(): void {
    for (const p of this.parts) p.dispose();
  }
}

function setIcon(item: vscode.TreeItem, kind: string): void {
  const [icon, color] = icons[kind] ?? ['circle-small'];
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
}
