// What the tested files use of VS Code, outside VS Code.
export const configuration = new Map<string, unknown>();

export const workspace = {
  isTrusted: false,
  getConfiguration: (section: string) => ({
    get: (name: string, otherwise?: unknown): unknown => configuration.get(`${section}.${name}`) ?? otherwise,
  }),
};
