// This file asks why a link cannot happen.
import * as vscode from 'vscode';

/**
 * The arguments with which the server judges infeasible; undefined: the user has given no reason. A code action names what is judged in
 * its third argument. One that takes a judgement back has two, and nothing is asked.
 */
export async function askReason(args: unknown[]): Promise<unknown[] | undefined> {
  if (args.length === 2) return args;
  const [link, , what] = args;
  const reason = await vscode.window.showInputBox({
    title: 'Mark as Impossible', ignoreFocusOut: true,
    prompt: `Why can ${typeof what === 'string' ? what : 'this exception'} not arrive at this catch? The reason is kept in catchlens.toml.`,
    validateInput: text => text.trim() === '' ? 'A reason is needed.' : undefined,
  });
  return reason === undefined ? undefined : [link, reason];
}
