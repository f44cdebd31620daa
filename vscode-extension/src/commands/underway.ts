/** What the commands that run kernels share: trust comes first, and one run is made at a time. */
import * as vscode from "vscode";

import type { Parts } from "../parts.js";
import { Refusal } from "../refusal.js";
import { inform } from "../tell.js";
import { TRUST } from "../tidings.js";

/** Throws Refusal in a workspace that is not trusted. */
export function demandTrust(): void {
  if (!vscode.workspace.isTrusted) {
    throw new Refusal("This workspace is not trusted, so nothing in it is run", TRUST);
  }
}

/** Says that nothing was started, with a button that ends what runs. */
export function tellUnderWay({ runs }: Parts): void {
  void inform("A run is under way; it goes on", { title: "Cancel Run", command: "croqtile.cancelRun", args: [runs.current?.id] });
}
