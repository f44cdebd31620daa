/** Show generated CUDA, PTX and SASS: a read-only document beside the source (views/generated.ts fills it). */
import * as vscode from "vscode";

import { addressOf, SCHEME, type Subject } from "../generatedText.js";
import type { Command, Parts } from "../parts.js";
import { aboutOf, openedDocument } from "../place.js";
import type { Form } from "../requests.js";

export const showCuda: Command = { id: "croqtile.showCuda", run: (parts, ...args) => show(parts, "cuda", args) };
export const showPtx: Command = { id: "croqtile.showPtx", run: (parts, ...args) => show(parts, "ptx", args) };
export const showSass: Command = { id: "croqtile.showSass", run: (parts, ...args) => show(parts, "sass", args) };

async function show({ server }: Parts, form: Form, args: readonly unknown[]): Promise<void> {
  const { textDocument, entry } = aboutOf(args);
  await server.ready();
  await openedDocument(textDocument.uri);
  const subject: Subject = { source: textDocument.uri, form, ...(entry === undefined ? {} : { entry }) };
  const uri = vscode.Uri.from({ scheme: SCHEME, ...addressOf(subject) });
  const document = await vscode.workspace.openTextDocument(uri);
  const shownAlready = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  await vscode.window.showTextDocument(document, {
    viewColumn: shownAlready?.viewColumn ?? besideOf(textDocument.uri),
    preserveFocus: true,
    preview: false,
  });
}

/** Beside the source; in the place of another form of it, where one is in front. */
function besideOf(source: string): vscode.ViewColumn {
  const active = vscode.window.activeTextEditor;
  if (active?.document.uri.scheme === SCHEME && active.viewColumn !== undefined) {
    return active.viewColumn;
  }
  const at = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === source)?.viewColumn;
  return at === undefined || at === active?.viewColumn ? vscode.ViewColumn.Beside : at + 1;
}
