/** The language status item of Croqtile files: the server's state in a word, the rest in its detail. */
import * as vscode from "vscode";

import type { Server } from "./client.js";
import { restartServer, showOutput } from "./commands/server.js";
import { type ServerState, show, type Shown } from "./state.js";

const SEVERITY: Readonly<Record<Shown["severity"], vscode.LanguageStatusSeverity>> = {
  information: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
};

export function createStatus(server: Server): vscode.Disposable {
  const item = vscode.languages.createLanguageStatusItem("croqtile.server", { language: "croqtile" });
  item.name = "Croqtile Language Server";
  const update = (state: ServerState): void => {
    const shown = show(state);
    item.text = shown.text;
    item.detail = shown.detail;
    item.severity = SEVERITY[shown.severity];
    item.busy = shown.busy;
    item.command =
      shown.severity === "information"
        ? { command: showOutput.id, title: "Show Output" }
        : { command: restartServer.id, title: "Restart" };
  };
  update(server.state);
  return vscode.Disposable.from(item, server.onDidChangeState(update));
}
