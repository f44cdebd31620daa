/** Tells the user of a server that is not there, that ended, or that came again. */
import type * as vscode from "vscode";

import type { Parts } from "../parts.js";
import { warn } from "../tell.js";
import { Tidings } from "../tidings.js";

export function registerTidings({ server }: Parts): vscode.Disposable {
  const tidings = new Tidings();
  return server.onDidChangeState((state) => {
    const tiding = tidings.about(state);
    if (tiding !== undefined) {
      void warn(tiding.text, tiding.way);
    }
  });
}
