// This file shows places that the server has named.
import * as vscode from 'vscode';

/** Shows a line, from 0, of a file; report is told where that fails: a file may be gone by the time somebody asks for it. */
export async function showPlace(place: { uri: string; line: number }, report: (e: unknown) => void): Promise<void> {
  try {
    await vscode.window.showTextDocument(vscode.Uri.parse(place.uri), { selection: new vscode.Range(place.line, 0, place.line, 0) });
  } catch (e) {
    report(e);
  }
}
