// What the tested files use of VS Code, outside VS Code.

/** The settings by their full names: what the user says, and what the workspace says. */
export const configuration = new Map<string, unknown>(), ofWorkspace = new Map<string, unknown>();

export const workspace = {
  isTrusted: false,
  getConfiguration: (section: string) => ({
    inspect: (name: string): { globalValue: unknown; workspaceValue: unknown } =>
      ({ globalValue: configuration.get(`${section}.${name}`), workspaceValue: ofWorkspace.get(`${section}.${name}`) }),
  }),
};
