/** Show the syntax tree, or the pipeline IR as a pass has left it: read-only documents beside the source. */
import * as vscode from "vscode";

import type { Command } from "../parts.js";
import { aboutOf, openedDocument } from "../place.js";
import { showBeside } from "../views/beside.js";

export const showSyntaxTree: Command = {
  id: "croqtile.showSyntaxTree",
  async run({ server }, ...args) {
    const { textDocument } = aboutOf(args);
    await server.ready();
    await openedDocument(textDocument.uri);
    await showBeside({ source: textDocument.uri, form: "ast" });
  },
};

export const showIr: Command = {
  id: "croqtile.showIr",
  async run({ server }, ...args) {
    const { textDocument } = aboutOf(args);
    await server.ready();
    await openedDocument(textDocument.uri);
    const { stages } = await server.request("croqtile/ir", { textDocument });
    const part = await vscode.window.showQuickPick(stages, { placeHolder: "The stage or pass of the compiler to show" });
    if (part !== undefined) {
      await showBeside({ source: textDocument.uri, form: "ir", part });
    }
  },
};
