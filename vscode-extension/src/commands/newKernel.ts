/** A new, untitled file with a kernel that is verified as it stands: the snippet `1p1c`. */
import * as vscode from "vscode";

import snippets from "../../snippets/croqtile.json";
import type { Command } from "../parts.js";
import { LANGUAGE } from "../place.js";
import { plainText } from "../snippet.js";

export const newKernel: Command = {
  id: "croqtile.newKernel",
  async run() {
    const { body, description } = snippets["Pipeline, one producer and one consumer"];
    const document = await vscode.workspace.openTextDocument({ language: LANGUAGE, content: `// ${description}.\n${plainText(body)}\n` });
    await vscode.window.showTextDocument(document);
  },
};
