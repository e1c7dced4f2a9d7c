// This file names the schema of catchlens.toml to the extension that completes TOML files.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';

const file = 'catchlens.toml.schema.json';
/** Which files Even Better TOML is to use it for, in its own way to say so. */
const files = '^.*/catchlens\\.toml$';
const completes = 'tamasfe.even-better-toml';

type Places = Pick<vscode.ExtensionContext, 'asAbsolutePath'> & { globalStorageUri: { fsPath: string } };

/** The copy of the schema that settings name: its place does not change when this extension does. */
const kept = (context: Places): string => join(context.globalStorageUri.fsPath, file);

/** Makes the copy, if there is one, that of this version of the extension. */
export function refreshSchema(context: Places): void {
  if (existsSync(kept(context))) copyFileSync(context.asAbsolutePath(`schemas/${file}`), kept(context));
}

/** Names the schema to Even Better TOML in the user's settings. */
export async function completeToml(context: Places): Promise<void> {
  if (vscode.extensions.getExtension(completes) === undefined) {
    const find = 'Show It';
    const choice = await vscode.window.showInformationMessage('catchlens.toml is completed by the extension Even Better TOML, which is not installed.', find);
    if (choice === find) await vscode.commands.executeCommand('workbench.extensions.search', `@id:${completes}`);
    return;
  }
  mkdirSync(context.globalStorageUri.fsPath, { recursive: true });
  copyFileSync(context.asAbsolutePath(`schemas/${file}`), kept(context));
  const settings = vscode.workspace.getConfiguration('evenBetterToml.schema');
  const before = settings.inspect<Record<string, string>>('associations')?.globalValue;
  await settings.update('associations', { ...before, [files]: pathToFileURL(kept(context)).href }, vscode.ConfigurationTarget.Global);
  void vscode.window.showInformationMessage('Even Better TOML now completes catchlens.toml.');
}
