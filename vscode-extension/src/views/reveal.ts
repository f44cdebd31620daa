/** Goes to a place of a source, in the editor where it is seen already. */
import * as vscode from "vscode";

/** `place` is what a page said: checked here. Does nothing for what is no place. */
export async function revealIn(source: string, place: unknown): Promise<void> {
  const { line, character } = (place ?? {}) as { line?: unknown; character?: unknown };
  if (typeof line !== "number" || typeof character !== "number") {
    return;
  }
  const seen = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === source);
  const selection = new vscode.Range(line, character, line, character);
  await vscode.window.showTextDocument(vscode.Uri.parse(source), { viewColumn: seen?.viewColumn ?? vscode.ViewColumn.One, selection });
}
