// What the tested files use of VS Code, outside VS Code.

/** The settings by their full names: what the user says, and what the workspace says. */
export const configuration = new Map<string, unknown>(), ofWorkspace = new Map<string, unknown>();

/** The extensions that are installed, and the messages that were shown. */
export const installed = new Set<string>(), shown: string[] = [];

export const ConfigurationTarget = { Global: 1 };

export const workspace = {
  isTrusted: false,
  getConfiguration: (section: string) => ({
    inspect: (name: string): { globalValue: unknown; workspaceValue: unknown } =>
      ({ globalValue: configuration.get(`${section}.${name}`), workspaceValue: ofWorkspace.get(`${section}.${name}`) }),
    update: (name: string, value: unknown, target: number): Promise<void> => {
      if (target === ConfigurationTarget.Global) configuration.set(`${section}.${name}`, value);
      return Promise.resolve();
    },
  }),
};

export const extensions = { getExtension: (id: string): object | undefined => installed.has(id) ? {} : undefined };

export const window = {
  showInformationMessage: (text: string): Promise<undefined> => {
    shown.push(text);
    return Promise.resolve(undefined);
  },
};

export const commands = { executeCommand: (): Promise<void> => Promise.resolve() };

export class EventEmitter<T> {
  private readonly listeners: ((value: T) => void)[] = [];
  event = (listener: (value: T) => void): void => { this.listeners.push(listener); };
  fire(value: T): void { for (const l of this.listeners) l(value); }
  dispose(): void { this.listeners.length = 0; }
}
