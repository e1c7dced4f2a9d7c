// This file reads the settings that the server understands (docs/reference/settings.md).
import * as vscode from 'vscode';

/** Settings that name a program, or a folder that is written to: only the user's own settings count, whatever a workspace says. */
export const machineSettings = ['server.path', 'server.arguments', 'cacheDir'];

/** What the user's own settings say of a machine setting. */
export function ofUser(name: string): unknown {
  return vscode.workspace.getConfiguration('catchlens').inspect(name)?.globalValue;
}

/** The server's settings, by the names they have there. */
export const serverSettings = ['callGraph', 'exceptions', 'sites', 'entryPoints', 'workers', 'isolation', 'fineGrain', 'reading', 'faults', 'continuous', 'lens', 'lensInTests', 'chains', 'inlayHints', 'hints', 'moreHints', 'words', 'cacheDir'] as const;

/** The settings as the server reads them. VS Code's workspace trust is the word that it waits for before anything of the workspace runs. */
export function settings(): Record<string, unknown> {
  const all = vscode.workspace.getConfiguration('catchlens');
  // Only what the user has set: the rest is left to catchlens.toml, then to the server's defaults.
  const set = serverSettings.flatMap(name => {
    const at = all.inspect(name);
    const value: unknown = machineSettings.includes(name) ? at?.globalValue : at?.workspaceFolderValue ?? at?.workspaceValue ?? at?.globalValue;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(set), trusted: vscode.workspace.isTrusted };
}
