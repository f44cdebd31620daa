/** What the suites ask of the editor and of its extension. */
import * as assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";

import { until } from "./suite.js";
import { execute } from "./watch.js";

const NAME = "croqtile.croqtile-tools";

export function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension(NAME);
  assert.ok(found, `${NAME} is not installed`);
  return found;
}

/** The commands of the manifest, in its order. */
export function contributed(): string[] {
  const manifest = extension().packageJSON as { contributes: { commands: { command: string }[] } };
  return manifest.contributes.commands.map(({ command }) => command);
}

/** A file of the workspace, opened as a person does it (`openTextDocument` would keep it open). `folder`: which root. */
export async function open(name: string, folder = 0): Promise<vscode.TextDocument> {
  const root = vscode.workspace.workspaceFolders?.[folder];
  assert.ok(root, `the workspace has no folder ${folder}`);
  const uri = vscode.Uri.joinPath(root.uri, name);
  await execute("vscode.open", uri);
  return until(`an editor of ${name}`, () => {
    const front = vscode.window.activeTextEditor?.document;
    return front?.uri.toString() === uri.toString() ? front : undefined;
  });
}

export async function closeAll(): Promise<void> {
  await execute("workbench.action.revertAndCloseActiveEditor");
  await execute("workbench.action.closeAllEditors");
  await until("all editors closed", () => vscode.window.visibleTextEditors.length === 0);
}

/** The names of the rules found in a document, sorted. */
export function rules(uri: vscode.Uri): string[] {
  return vscode.languages.getDiagnostics(uri).map(({ code }) => String(typeof code === "object" ? code.value : code)).sort();
}

export async function untilRules(uri: vscode.Uri, wanted: readonly string[]): Promise<void> {
  try {
    await until("rules", () => JSON.stringify(rules(uri)) === JSON.stringify(wanted));
  } catch {
    assert.deepEqual(rules(uri), wanted);
  }
}

/** Where a text stands for the first time. */
export function placeOf(document: vscode.TextDocument, text: string): vscode.Position {
  const at = document.getText().indexOf(text);
  assert.notEqual(at, -1, `there is no '${text}'`);
  return document.positionAt(at);
}

export async function replaceAll(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

/** What the hover at a place says. */
export async function hover(uri: vscode.Uri, at: vscode.Position): Promise<string> {
  const found = await execute<vscode.Hover[]>("vscode.executeHoverProvider", uri, at);
  return found.flatMap((one) => one.contents.map((part) => (typeof part === "string" ? part : part.value))).join("\n");
}

/** The language servers that this extension host has started: their process ids. */
export function servers(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const parent = /\) \w (\d+)/.exec(readFileSync(path.join("/proc", name, "stat"), "utf8"))?.[1];
        const line = readFileSync(path.join("/proc", name, "cmdline"), "utf8");
        return parent === String(process.pid) && line.includes("croqls");
      } catch {
        return false; // it has just ended
      }
    })
    .map(Number);
}

/** Waits until a server answers for this document. */
export async function untilServed(document: vscode.TextDocument): Promise<void> {
  await until("the server's symbols", async () => {
    const found = await execute<unknown[] | undefined>("vscode.executeDocumentSymbolProvider", document.uri);
    return (found?.length ?? 0) > 0;
  });
}
