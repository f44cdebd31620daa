/** Activation only: makes the parts and ties them together. */
import * as vscode from "vscode";

import { Server } from "./client.js";
import { registerCommands } from "./commands/index.js";
import { onEnvironmentDeleted, onSurroundingsChange } from "./environment.js";
import type { Parts } from "./parts.js";
import { Runs } from "./runs.js";
import { registerViews } from "./views/index.js";

let active: Server | undefined;

/** Returns at once: what needs the server waits for it by itself (client.ts). */
export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel("Croqtile", { log: true });
  const server = new Server(output);
  active = server;
  const runs = new Runs(server);
  const parts: Parts = { server, runs, output, context };
  context.subscriptions.push(output, server, runs, registerCommands(parts), registerViews(parts));
  context.subscriptions.push(onEnvironmentDeleted(() => void server.replaceIfGone("deleted")));
  void server.restart("start");
  void onSurroundingsChange(() => void server.restart("surroundings")).then((one) => context.subscriptions.push(one));
}

export async function deactivate(): Promise<void> {
  await active?.stop();
  active = undefined;
}
