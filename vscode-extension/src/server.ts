// This file finds the server program.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import * as vscode from 'vscode';
import { ofUser } from './settings';

export interface ServerCommand {
  command: string;
  args: string[];
}

/** The server to start, or a sentence that says why there is none and the way out. */
export function findServer(extension: Pick<vscode.ExtensionContext, 'asAbsolutePath'>): ServerCommand | string {
  const args = (ofUser('server.arguments') ?? ['lsp']) as string[];
  const configured = (ofUser('server.path') ?? '') as string;
  if (configured !== '') {
    return executable(configured)
      ? { command: configured, args }
      : `catchlens.server.path: ${configured} is not a program that can be started.`;
  }
  const name = process.platform === 'win32' ? 'catchlens.exe' : 'catchlens';
  const folders = [extension.asAbsolutePath('bin'), ...(process.env['PATH'] ?? '').split(delimiter)];
  const found = folders.filter(f => f !== '').map(f => join(f, name)).find(executable);
  return found === undefined
    ? 'The catchlens program was found neither in the extension nor on PATH. Install it, or set catchlens.server.path.'
    : { command: found, args };
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
