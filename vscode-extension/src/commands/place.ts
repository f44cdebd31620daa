/** What a command is about: the document and the function that a lens names, or the editor in front. */
import * as vscode from "vscode";

import { Refusal } from "../parts.js";
import type { About } from "../requests.js";

export const LANGUAGE = "croqtile";

/** Lenses hand over the document's address and the name of a function. Throws Refusal where there is no Croqtile file. */
export function aboutOf(args: readonly unknown[]): About {
  const [uri, entry] = args;
  const document = typeof uri === "string" ? { uri } : { uri: frontDocument().uri.toString() };
  return typeof entry === "string" ? { textDocument: document, entry } : { textDocument: document };
}

/** The Croqtile document in front. Throws Refusal where there is none. */
export function frontDocument(): vscode.TextDocument {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== LANGUAGE) {
    throw new Refusal("Open a Croqtile file (.co) first");
  }
  return document;
}
