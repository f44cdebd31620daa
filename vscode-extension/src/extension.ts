/** Activation only: makes the parts and ties them together. */
import * as vscode from "vscode";

import { Server } from "./client.js";
import { offerRepair, registerCommands } from "./commands.js";
import { onSurroundingsChange } from "./environment.js";
import { createStatus } from "./status.js";

let active: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("Croqtile", { log: true });
  const server = new Server(output);
  active = server;
  context.subscriptions.push(output, registerCommands(server), createStatus(server));
  const state = await server.restart();
  context.subscriptions.push(await onSurroundingsChange(() => void server.restart()));
  void offerRepair(server, state);
}

export async function deactivate(): Promise<void> {
  await active?.stop();
  active = undefined;
}
