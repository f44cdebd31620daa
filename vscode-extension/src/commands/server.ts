/** The commands about the server itself, and the one message about a server that is not there. */
import * as vscode from "vscode";

import type { Server } from "../client.js";
import { SECTION } from "../config.js";
import type { Command } from "../parts.js";
import { describe } from "../python.js";
import { type ServerState, show } from "../state.js";

const OPEN_SETTING = "Open Setting";
const TRY_AGAIN = "Try Again";
const OUTPUT = "Show Output";

export const restartServer: Command = { id: "croqtile.restartServer", run: ({ server }) => restart(server) };
export const showOutput: Command = { id: "croqtile.showOutput", run: ({ output }) => output.show() };

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
