// This file reads the settings that the server understands (docs/settings.md).
import * as vscode from 'vscode';

/** The server's settings, by the names they have there. */
export const serverSettings = ['callGraph', 'exceptions', 'sites', 'entryPoints', 'workers', 'lens', 'lensInTests', 'hints', 'cacheDir'] as const;

/** The settings as the server reads them. VS Code's workspace trust is the word that it waits for before anything of the workspace runs. */
export function settings(): Record<string, unknown> {
  const all = vscode.workspace.getConfiguration('catchlens');
  return { ...Object.fromEntries(serverSettings.map(name => [name, all.get(name)])), trusted: vscode.workspace.isTrusted };
}
