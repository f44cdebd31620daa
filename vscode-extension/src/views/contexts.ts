/** What the manifest's `when` clauses and the walkthrough know of the extension. */
import * as vscode from "vscode";

import type { Parts } from "../parts.js";

export function registerContexts({ server }: Parts): vscode.Disposable {
  const set = (name: string, value: boolean): void => void vscode.commands.executeCommand("setContext", `croqtile.${name}`, value);
  set("active", true);
  return server.onDidChangeState(({ kind }) => {
    set("running", kind === "running");
    set("missing", kind === "not-found" || kind === "crashed");
  });
}
