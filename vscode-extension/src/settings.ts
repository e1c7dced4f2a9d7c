// This file reads the settings that the server understands (docs/settings.md).
import * as vscode from 'vscode';

/** The server's settings, by the names they have there. */
export const serverSettings = ['callGraph', 'exceptions', 'sites', 'entryPoints', 'workers', 'lens', 'lensInTests', 'hints', 'cacheDir'] as const;

/** The settings as the server reads them. VS Code's workspace trust is the word that it waits for before anything of the workspace runs. */
export function settings(): Record<string, unknown> {
  const all = vscode.workspace.getConfiguration('catchlens');
  // Only what the user has set: the rest is left to catchlens.toml, then to the server's defaults.
  const set = serverSettings.flatMap(name => {
    const at = all.inspect(name);
    const value: unknown = at?.workspaceFolderValue ?? at?.workspaceValue ?? at?.globalValue;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(set), trusted: vscode.workspace.isTrusted };
}
