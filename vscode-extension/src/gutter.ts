// This file shows a sign beside each catch of the visible editors, and its place in their overview rulers.
import * as vscode from 'vscode';
import { Catch } from './catches';
import { CatchStore } from './list';
import { colorOf, Declared, drawn, Mark, marks, ThemeKind } from './marks';

/** The setting that turns signs off, without "catchlens.". */
const setting = 'gutter';

/** What an editor shows: of which text, and the lines of each look. */
interface Shown {
  version: number;
  lines: Map<string, string>;
}

export class Gutter implements vscode.Disposable {
  /** How each look is drawn, by its name; made when it is first needed. */
  private readonly types = new Map<string, vscode.TextEditorDecorationType>();
  private shown = new WeakMap<vscode.TextEditor, Shown>();
  private readonly parts: { dispose: () => unknown }[];

  constructor(private readonly store: CatchStore, private readonly colors: readonly Declared[]) {
    this.parts = [
      store.onDidChange(() => { this.update(); }),
      vscode.window.onDidChangeVisibleTextEditors(() => { this.update(); }),
      vscode.window.onDidChangeActiveColorTheme(() => { this.redraw(); }),
      vscode.workspace.onDidChangeConfiguration(e => {
        if (e.affectsConfiguration(`catchlens.${setting}`) || e.affectsConfiguration('workbench.colorCustomizations')) this.redraw();
      }),
    ];
    this.update();
  }

  private get on(): boolean {
    return vscode.workspace.getConfiguration('catchlens').get<boolean>(setting, true);
  }

  /** Draws everything anew. */
  private redraw(): void {
    for (const t of this.types.values()) t.dispose();
    this.types.clear();
    this.shown = new WeakMap();
    this.update();
  }

  private update(): void {
    if (!this.on) return;
    const of = new Map<string, Catch[]>();
    for (const c of this.store.catches) {
      const uri = vscode.Uri.parse(c.uri).toString();
      of.set(uri, [...of.get(uri) ?? [], c]);
    }
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.languageId === 'java') this.show(editor, of.get(editor.document.uri.toString()) ?? []);
    }
  }

  /** Shows what differs from what an editor shows. VS Code moves signs with edits until the list of the edited text is there. */
  private show(editor: vscode.TextEditor, catches: readonly Catch[]): void {
    const { version } = editor.document;
    if (catches.some(c => c.version !== version)) return;
    const ranges = new Map<string, vscode.Range[]>(), taken = new Set<number>();
    for (const c of catches) { // of two in a line the worse is shown, which comes first
      const mark = marks[c.kind], { start, end } = c.range;
      if (mark === undefined || taken.has(start.line)) continue;
      taken.add(start.line);
      const name = this.look(mark, c.stale);
      ranges.set(name, [...ranges.get(name) ?? [], new vscode.Range(start.line, start.character, end.line, end.character)]);
    }
    const before = this.shown.get(editor), lines = new Map<string, string>();
    for (const name of new Set([...before?.lines.keys() ?? [], ...ranges.keys()])) {
      const now = ranges.get(name) ?? [], key = now.map(r => r.start.line).join();
      if (now.length > 0) lines.set(name, key);
      const type = this.types.get(name);
      if (type !== undefined && (before?.version !== version || before.lines.get(name) !== key)) editor.setDecorations(type, now);
    }
    this.shown.set(editor, { version, lines });
  }

  /** The name of a look, which is there to be drawn from now on. */
  private look(mark: Mark, stale: boolean): string {
    const name = `${mark.shape}${stale ? ' stale' : ''}`;
    if (!this.types.has(name)) {
      const image = drawn(mark.shape, stale, this.color(mark.color));
      this.types.set(name, vscode.window.createTextEditorDecorationType({
        gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(image).toString('base64')}`), gutterIconSize: 'contain',
        overviewRulerColor: new vscode.ThemeColor(mark.color),
        // What is to be looked at reaches across the ruler, so that it can be told without its colour.
        overviewRulerLane: mark.color === 'catchlens.depends' ? vscode.OverviewRulerLane.Full : vscode.OverviewRulerLane.Center,
        rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      }));
    }
    return name;
  }

  private color(id: string): string {
    const workbench = vscode.workspace.getConfiguration('workbench');
    return colorOf(id, kindOf(vscode.window.activeColorTheme.kind), workbench.get<string>('colorTheme', ''), workbench.get('colorCustomizations'), this.colors);
  }

  dispose(): void {
    for (const p of [...this.parts, ...this.types.values()]) p.dispose();
  }
}

function kindOf(kind: vscode.ColorThemeKind): ThemeKind {
  switch (kind) {
    case vscode.ColorThemeKind.Light:
      return 'light';
    case vscode.ColorThemeKind.Dark:
      return 'dark';
    case vscode.ColorThemeKind.HighContrast:
      return 'highContrast';
    case vscode.ColorThemeKind.HighContrastLight:
      return 'highContrastLight';
  }
}
