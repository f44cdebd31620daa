/** The table of commands, in the order of the palette. Each does its work or says why it cannot. */
import * as vscode from "vscode";

import { type Command, type Parts, Refusal } from "../parts.js";
import { restartServer, showOutput } from "./server.js";
import { showFlow } from "./showFlow.js";

export const COMMANDS: readonly Command[] = [showFlow, restartServer, showOutput];

const OUTPUT = "Show Output";

/** A refusal is shown in its own words; anything else is a fault, and the output has the rest of it. */
async function tell(parts: Parts, command: Command, error: unknown): Promise<void> {
  if (error instanceof Refusal) {
    void vscode.window.showWarningMessage(`Croqtile: ${error.message}`);
    return;
  }
  const reason = error instanceof Error ? error.message : String(error);
  parts.output.error(`${command.id}: ${error instanceof Error ? (error.stack ?? reason) : reason}`);
  if ((await vscode.window.showErrorMessage(`Croqtile: ${reason}`, OUTPUT)) === OUTPUT) {
    parts.output.show();
  }
}

export function registerCommands(parts: Parts): vscode.Disposable {
  const registered = COMMANDS.map((command) =>
    vscode.commands.registerCommand(command.id, async (...args: unknown[]) => {
      try {
        await command.run(parts, ...args);
      } catch (error) {
        void tell(parts, command, error);
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}
