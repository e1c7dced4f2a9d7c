// What the tested files use of VS Code, outside VS Code.

/** The settings by their full names: what the user says, and what the workspace says. */
export const configuration = new Map<string, unknown>(), ofWorkspace = new Map<string, unknown>();

/** What an input box was shown with. */
interface InputBox { title: string; prompt: string; validateInput: (text: string) => string | undefined }

/** The input boxes that were shown. */
export const asked: InputBox[] = [];

/** The extensions that are installed, the messages that were shown, and the places, with lines from 0. */
export const installed = new Set<string>(), shown: string[] = [], opened: string[] = [];

export const ConfigurationTarget = { Global: 1 };

const grants: (() => void)[] = [];

/** The user trusts the workspace. */
export function trust(): void {
  workspace.isTrusted = true;
  for (const g of grants) g();
}

export const workspace = {
  isTrusted: false,
  onDidGrantWorkspaceTrust: (f: () => void): { dispose: () => void } => {
    grants.push(f);
    return { dispose: () => undefined };
  },
  getConfiguration: (section: string) => ({
    inspect: (name: string): { globalValue: unknown; workspaceValue: unknown } =>
      ({ globalValue: configuration.get(`${section}.${name}`), workspaceValue: ofWorkspace.get(`${section}.${name}`) }),
    get: (name: string, otherwise?: unknown): unknown => configuration.get(`${section}.${name}`) ?? otherwise,
    update: (name: string, value: unknown, target: number): Promise<void> => {
      if (target === ConfigurationTarget.Global) configuration.set(`${section}.${name}`, value);
      return Promise.resolve();
    },
  }),
  onDidChangeConfiguration: (listener: (e: { affectsConfiguration: (name: string) => boolean }) => void): Disposable =>
    configurationChanges.event(changed => { listener({ affectsConfiguration: name => name === changed }); }),
};

export const extensions = { getExtension: (id: string): object | undefined => installed.has(id) ? {} : undefined };

export const window = {
  /** What the user enters into an input box; undefined: he closes it. */
  answer: undefined as string | undefined,
  showInputBox: (box: InputBox): Promise<string | undefined> => {
    asked.push(box);
    return Promise.resolve(window.answer);
  },
  visibleTextEditors: [] as Decorated[],
  activeColorTheme: { kind: 1 },
  onDidChangeVisibleTextEditors: (listener: () => void): Disposable => editorChanges.event(listener),
  onDidChangeActiveColorTheme: (): Disposable => ({ dispose: () => undefined }),
  createTextEditorDecorationType: (options: DecorationOptions): DecorationType => {
    const type: DecorationType = { options, dispose: () => { for (const e of window.visibleTextEditors) e.decorations.delete(type); } };
    return type;
  },
  createTreeView: (): TreeView => {
    const nothing = { dispose: () => undefined };
    const view: TreeView = { ...nothing, visible: true, onDidChangeVisibility: () => nothing };
    views.push(view);
    return view;
  },
  /** What the user chooses of a list, by a part of its label. */
  choice: '',
  showQuickPick: <T extends { label: string }>(items: T[]): Promise<T | undefined> =>
    Promise.resolve(items.find(i => i.label.includes(window.choice))),
  showTextDocument: (uri: ReturnType<typeof Uri.parse>, options: { selection: Range }): Promise<undefined> => {
    if (uri.path.includes('gone')) return Promise.reject(new Error(`${uri.path} is not there`));
    opened.push(`${uri.toString()}:${String(options.selection.start.line)}`);
    return Promise.resolve(undefined);
  },
  showErrorMessage: (text: string): Promise<undefined> => {
    shown.push(text);
    return Promise.resolve(undefined);
  },
  showInformationMessage: (text: string): Promise<undefined> => {
    shown.push(text);
    return Promise.resolve(undefined);
  },
};

export const commands = { executeCommand: (): Promise<void> => Promise.resolve() };

interface Disposable {
  dispose: () => unknown;
}

interface TreeView extends Disposable {
  visible: boolean;
  onDidChangeVisibility: () => Disposable;
  badge?: unknown;
  message?: string;
  description?: string;
}

/** The views that were made. */
export const views: TreeView[] = [];

export class TreeItem {
  constructor(readonly label: string, readonly collapsibleState: number) {}
}
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export class ThemeIcon {
  constructor(readonly id: string, readonly color?: ThemeColor) {}
}

export class EventEmitter<T> {
  private readonly listeners: ((value: T) => void)[] = [];
  event = (listener: (value: T) => void): Disposable => {
    this.listeners.push(listener);
    return { dispose: () => { this.listeners.splice(this.listeners.indexOf(listener), 1); } };
  };
  fire(value: T): void { for (const l of this.listeners) l(value); }
  dispose(): void { this.listeners.length = 0; }
}

/** A setting has changed; other editors are seen. */
export const configurationChanges = new EventEmitter<string>(), editorChanges = new EventEmitter<undefined>();
export const { visibleTextEditors, activeColorTheme } = window;

export class Range {
  readonly start: { line: number; character: number };
  readonly end: { line: number; character: number };
  constructor(line: number, character: number, endLine: number, endCharacter: number) {
    this.start = { line, character };
    this.end = { line: endLine, character: endCharacter };
  }
}

export const Uri = {
  parse: (text: string): { path: string; toString: () => string } => ({ path: text.slice(text.indexOf(':') + 1), toString: () => text }),
};
export class ThemeColor {
  constructor(readonly id: string) {}
}
export const OverviewRulerLane = { Center: 2, Full: 7 }, DecorationRangeBehavior = { ClosedClosed: 1 };
export const ColorThemeKind = { Light: 1, Dark: 2, HighContrast: 3, HighContrastLight: 4 };

interface DecorationOptions {
  gutterIconPath: { path: string };
}
interface DecorationType extends Disposable {
  options: DecorationOptions;
}

/** An editor, with what decorates it. */
export class Decorated {
  readonly document: { languageId: string; version: number; uri: ReturnType<typeof Uri.parse> };
  readonly decorations = new Map<DecorationType, Range[]>();
  calls = 0;
  constructor(uri: string, languageId = 'java') {
    this.document = { languageId, version: 1, uri: Uri.parse(uri) };
  }
  setDecorations(type: DecorationType, ranges: Range[]): void {
    this.calls++;
    if (ranges.length > 0) this.decorations.set(type, ranges);
    else this.decorations.delete(type);
  }
}

export * from './explorer';
