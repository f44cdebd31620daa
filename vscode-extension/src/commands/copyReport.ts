/** Copies what came of the last run as Markdown, for an issue or a message. */
import * as vscode from "vscode";

import type { Command, Parts } from "../parts.js";
import { Refusal } from "../refusal.js";
import { runReport, type Surrounding } from "../runReport.js";
import type { Ended } from "../runs.js";
import { shownRun } from "../views/runPanel/panel.js";

export const copyReport: Command = { id: "croqtile.copyReport", run: copy };

async function copy(parts: Parts): Promise<void> {
  const ended = shownRun() ?? parts.runs.last;
  if (ended === undefined) {
    throw new Refusal("Nothing was run yet, so there is nothing to report");
  }
  await vscode.env.clipboard.writeText(runReport(ended.result, surrounding(parts, ended)));
  vscode.window.setStatusBarMessage("Croqtile: report copied", 3000);
}

/** The versions of everything, and the address that the report must not name. */
function surrounding({ server, context }: Parts, { result }: Ended): Surrounding {
  const { version } = context.extension.packageJSON as { readonly version: string };
  return {
    path: vscode.Uri.parse(result.uri).fsPath,
    extension: `${version}, VS Code ${vscode.version}, ${process.platform}`,
    server: server.state.kind === "running" ? `${server.state.found.server}, Python ${server.state.found.python}` : "not running",
  };
}
