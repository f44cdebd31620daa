/** Shows what is made of a source in an editor beside it. Must not make it (generated.ts). */
import * as vscode from "vscode";

import { SCHEME, type Subject } from "../generatedText.js";
import { addressFor } from "./generated.js";

export async function showBeside(subject: Subject): Promise<void> {
  const document = await vscode.workspace.openTextDocument(addressFor(subject));
  const shownAlready = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  await vscode.window.showTextDocument(document, {
    viewColumn: shownAlready?.viewColumn ?? besideOf(subject.source),
    preserveFocus: true,
    preview: false,
  });
}

/** Beside the source; in the place of another text of it, where one is in front. */
function besideOf(source: string): vscode.ViewColumn {
  const active = vscode.window.activeTextEditor;
  if (active?.document.uri.scheme === SCHEME && active.viewColumn !== undefined) {
    return active.viewColumn;
  }
  const at = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === source)?.viewColumn;
  return at === undefined || at === active?.viewColumn ? vscode.ViewColumn.Beside : at + 1;
}
