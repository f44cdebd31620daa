/** What every command and view is handed. Must not hold more than the parts that live as long as the extension. */
import type * as vscode from "vscode";

import type { Server } from "./client.js";
import type { Runs } from "./runs.js";

export interface Parts {
  readonly server: Server;
  readonly runs: Runs;
  readonly output: vscode.LogOutputChannel;
  readonly context: vscode.ExtensionContext;
}

/** A command of the palette or of a lens; `args` is whatever the editor hands over: check it. */
export interface Command {
  readonly id: string;
  run(parts: Parts, ...args: readonly unknown[]): Promise<void> | void;
}
