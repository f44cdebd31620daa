/** Expand Macro: what the use at the cursor becomes, in a read-only document beside the source. */
import * as vscode from "vscode";

import type { Command } from "../parts.js";
import { aboutOf, openedDocument } from "../place.js";
import { Refusal } from "../refusal.js";
import { showBeside } from "../views/beside.js";

export const expandMacro: Command = {
  id: "croqtile.expandMacro",
  async run({ server }, ...args) {
    const { textDocument } = aboutOf(args);
    await server.ready();
    const document = await openedDocument(textDocument.uri);
    const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
    if (editor === undefined) {
      throw new Refusal("Put the cursor on the use of a macro first");
    }
    const { line, character } = editor.selection.active;
    const { name, range } = await server.request("croqtile/expansion", { textDocument, position: { line, character } });
    await showBeside({ source: textDocument.uri, form: "expansion", part: name, at: range.start, version: document.version });
  },
};
