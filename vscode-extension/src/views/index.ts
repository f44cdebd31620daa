/** The table of views: what shows itself without being asked for by a command. */
import * as vscode from "vscode";

import type { Parts } from "../parts.js";
import { registerFlowPanel } from "./flow/panel.js";

const VIEWS: readonly ((parts: Parts) => vscode.Disposable)[] = [registerFlowPanel];

export function registerViews(parts: Parts): vscode.Disposable {
  return vscode.Disposable.from(...VIEWS.map((register) => register(parts)));
}
