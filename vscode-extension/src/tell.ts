/** One message with one button. Must not decide what is told (tidings.ts, commands). */
import * as vscode from "vscode";

import type { Way } from "./refusal.js";

/** Carries out the button that was chosen, if it was. */
export async function follow(choice: string | undefined, way: Way): Promise<void> {
  if (choice === way.title) {
    await vscode.commands.executeCommand(way.command, ...(way.args ?? []));
  }
}

/** A warning with its button, where it has one. Resolves when it was answered or closed. */
export async function warn(text: string, way?: Way): Promise<void> {
  if (way === undefined) {
    await vscode.window.showWarningMessage(`Croqtile: ${text}`);
  } else {
    await follow(await vscode.window.showWarningMessage(`Croqtile: ${text}`, way.title), way);
  }
}

/** As `warn`, of something that went well. */
export async function inform(text: string, way?: Way): Promise<void> {
  if (way === undefined) {
    await vscode.window.showInformationMessage(`Croqtile: ${text}`);
  } else {
    await follow(await vscode.window.showInformationMessage(`Croqtile: ${text}`, way.title), way);
  }
}
