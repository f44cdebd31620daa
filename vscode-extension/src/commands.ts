/** The commands of the palette. Each does its work or says why it cannot. */
import * as vscode from "vscode";

import type { Server } from "./client.js";
import { SECTION } from "./config.js";
import { describe } from "./python.js";
import { type ServerState, show } from "./state.js";

export const RESTART = "croqtile.restartServer";
export const SHOW_OUTPUT = "croqtile.showOutput";

const OPEN_SETTING = "Open Setting";
const TRY_AGAIN = "Try Again";
const OUTPUT = "Show Output";

/** Tells the user of a server that is not there, with the ways out as buttons. */
export async function offerRepair(server: Server, state: ServerState): Promise<void> {
  if (state.kind !== "not-found" && state.kind !== "crashed") {
    return;
  }
  const text = state.kind === "not-found" ? describe(state.outcome) : state.reason;
  const choice = await vscode.window.showWarningMessage(`Croqtile: ${text}`, OPEN_SETTING, TRY_AGAIN, OUTPUT);
  switch (choice) {
    case OPEN_SETTING:
      await vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.python`);
      break;
    case TRY_AGAIN:
      await restart(server);
      break;
    case OUTPUT:
      server.output.show();
      break;
    case undefined:
      break;
  }
}

async function restart(server: Server): Promise<void> {
  const state = await server.restart();
  if (state.kind === "running") {
    void vscode.window.showInformationMessage(`Croqtile: server started, ${show(state).detail}`);
  } else {
    await offerRepair(server, state);
  }
}

export function registerCommands(server: Server): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(RESTART, () => restart(server)),
    vscode.commands.registerCommand(SHOW_OUTPUT, () => server.output.show()),
  );
}
