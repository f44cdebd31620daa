/** The table of views: what shows itself without being asked for by a command. */
import * as vscode from "vscode";

import type { Parts } from "../parts.js";
import { registerRunPanel } from "./runPanel/panel.js";
import { registerTests } from "./tests/controller.js";

const VIEWS: readonly ((parts: Parts) => vscode.Disposable)[] = [registerRunPanel, registerTests];

export function registerViews(parts: Parts): vscode.Disposable {
  return vscode.Disposable.from(...VIEWS.map((register) => register(parts)));
}
