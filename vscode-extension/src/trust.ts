/** Trust comes before anything is run. */
import * as vscode from "vscode";

import { Refusal } from "./refusal.js";
import { TRUST } from "./tidings.js";

/** Throws Refusal in a workspace that is not trusted. */
export function demandTrust(): void {
  if (!vscode.workspace.isTrusted) {
    throw new Refusal("This workspace is not trusted, so nothing in it is run", TRUST);
  }
}
