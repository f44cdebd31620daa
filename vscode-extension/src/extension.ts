/** Activation only: makes the parts and ties them together. */
import * as vscode from "vscode";

import { Server } from "./client.js";
import { registerCommands } from "./commands/index.js";
import { offerRepair } from "./commands/server.js";
import { onSurroundingsChange } from "./environment.js";
import type { Parts } from "./parts.js";
import { createStatus } from "./status.js";
import { Runs } from "./runs.js";
import { registerViews } from "./views/index.js";

let active: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("Croqtile", { log: true });
  const server = new Server(output);
  active = server;
  const runs = new Runs(server);
  const parts: Parts = { server, runs, output, context };
  context.subscriptions.push(output, runs, registerCommands(parts), registerViews(parts), createStatus(server));
  const state = await server.restart();
  context.subscriptions.push(await onSurroundingsChange(() => void server.restart()));
  void offerRepair(server, state);
}

export async function deactivate(): Promise<void> {
  await active?.stop();
  active = undefined;
}
