// This file shows the documents that the server writes: the chains and the
// matrix of a catch as Markdown previews, the report as a page.
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { ShowDocumentParams, ShowDocumentResult } from 'vscode-languageclient/node';

/** Shows a document for window/showDocument; undefined if it is none of the server's own kinds. */
export async function showDocument(params: ShowDocumentParams): Promise<ShowDocumentResult | undefined> {
  const uri = vscode.Uri.parse(params.uri);
  if (uri.scheme !== 'file') return undefined;
  if (uri.path.endsWith('.md')) {
    await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
    return { success: true };
  }
  if (uri.path.endsWith('.html')) {
    // A browser can read the file only where the server's machine is the user's.
    if (vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop) {
      return { success: await vscode.env.openExternal(uri) };
    }
    const panel = vscode.window.createWebviewPanel('catchlens.report', 'catchlens report', vscode.ViewColumn.Active, { enableScripts: true, enableFindWidget: true, retainContextWhenHidden: true });
    panel.webview.html = await readFile(uri.fsPath, 'utf8');
    return { success: true };
  }
  return undefined;
}
