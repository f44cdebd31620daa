/** The table of commands, in the order of the palette. Each does its work or says why it cannot. */
import * as vscode from "vscode";

import type { Command, Parts } from "../parts.js";
import { reasonOf, Refusal } from "../refusal.js";
import { follow, warn } from "../tell.js";
import { OUTPUT } from "../tidings.js";
import { chooseEnvironment } from "./chooseEnvironment.js";
import { copyReport } from "./copyReport.js";
import { createEnvironment } from "./createEnvironment.js";
import { doctor } from "./doctor.js";
import { expandMacro } from "./expandMacro.js";
import { explain } from "./explain.js";
import { showCuda, showPtx, showSass } from "./generated.js";
import { migrate } from "./migrate.js";
import { newKernel } from "./newKernel.js";
import { profile, profileAnyway } from "./profile.js";
import { cancelRun, run, runAnyway, runGpu, runSimulator, showRun, verify } from "./run.js";
import { restartServer, showOutput } from "./server.js";
import { showSharedMemory } from "./sharedMemory.js";
import { showFlow } from "./showFlow.js";
import { showIr, showSyntaxTree } from "./showIr.js";

export const COMMANDS: readonly Command[] = [
  run,
  runGpu,
  runSimulator,
  verify,
  runAnyway,
  cancelRun,
  showRun,
  copyReport,
  profile,
  profileAnyway,
  showFlow,
  newKernel,
  showCuda,
  showPtx,
  showSass,
  showSharedMemory,
  expandMacro,
  showSyntaxTree,
  showIr,
  migrate,
  explain,
  doctor,
  chooseEnvironment,
  createEnvironment,
  restartServer,
  showOutput,
];

/** A refusal is shown in its own words; anything else but a cancellation is a fault: the output has the rest of it. */
async function tell(parts: Parts, command: Command, error: unknown): Promise<void> {
  if (error instanceof vscode.CancellationError) {
    return;
  }
  if (error instanceof Refusal) {
    await warn(error.message, error.way);
    return;
  }
  const reason = reasonOf(error);
  parts.output.error(`${command.id}: ${error instanceof Error ? (error.stack ?? reason) : reason}`);
  await follow(await vscode.window.showErrorMessage(`Croqtile: ${reason}`, OUTPUT.title), OUTPUT);
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
