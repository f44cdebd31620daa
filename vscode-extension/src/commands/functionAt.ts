/** Which function a command is about: that of the lens, that at the cursor, or the one that is picked. */
import * as vscode from "vscode";

import { type About, calledIn, numbered } from "../lsp.js";
import { aboutOf, openedDocument } from "../place.js";
import { Refusal } from "../refusal.js";

const ALL = "Every kernel with a run line";

/**
 * What is to be run; undefined where the user picked nothing. Without `entry`, for which null is handed over, the server
 * takes each function with a run line. Throws Refusal where there is no Croqtile file or no function in it.
 */
export async function functionAt(args: readonly unknown[]): Promise<About | undefined> {
  const about = aboutOf(args);
  const { uri } = await openedDocument(about.textDocument.uri);
  if (about.entry !== undefined || args[1] === null) {
    return about;
  }
  const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>("vscode.executeDocumentSymbolProvider", uri);
  if (symbols === undefined) {
    return about; // no server: it is asked all the same, and says why
  }
  const functions = symbols.filter((symbol) => symbol.kind === vscode.SymbolKind.Function);
  const editor = vscode.window.visibleTextEditors.find((one) => one.document.uri.toString() === uri.toString());
  const here = functions.filter((one) => editor !== undefined && one.range.contains(editor.selection.active));
  const only = here[0] ?? (functions.length === 1 ? functions[0] : undefined);
  if (only !== undefined) {
    return { ...about, ...numbered(only, functions) };
  }
  if (functions.length === 0) {
    throw new Refusal("There is no function to run in this file");
  }
  const items = [
    ...functions.map((one) => {
      const which = numbered(one, functions);
      return { label: calledIn(which) ?? one.name, description: one.detail, which };
    }),
    { label: ALL, description: "", which: {} },
  ];
  const picked = await vscode.window.showQuickPick(items, { placeHolder: "What to run" });
  if (picked === undefined) {
    return undefined;
  }
  return { ...about, ...picked.which };
}
