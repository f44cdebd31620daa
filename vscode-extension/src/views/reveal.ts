/** Goes to a place of a source, in the editor where it is seen already. */
import * as vscode from "vscode";

import { isPosition } from "../lsp.js";
import { openedDocument } from "../place.js";
import { reasonOf } from "../refusal.js";
import { warn } from "../tell.js";

/** `place` is what a page said: checked here. Throws nothing: a source that is gone is told of. */
export async function revealIn(source: string, place: unknown): Promise<void> {
  if (!isPosition(place)) {
    return;
  }
  const { line, character } = place;
  const seen = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === source);
  const selection = new vscode.Range(line, character, line, character);
  try {
    const document = await openedDocument(source);
    await vscode.window.showTextDocument(document, { viewColumn: seen?.viewColumn ?? vscode.ViewColumn.One, selection });
  } catch (error) {
    void warn(reasonOf(error));
  }
}
