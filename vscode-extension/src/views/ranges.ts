/** Ranges of the server as the editor has them. */
import * as vscode from "vscode";

import type { Range } from "../lsp.js";

export function rangeOf({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
