/** The table of views: what follows the editor and the server from the start, and the panels that come back after a reload. */
import * as vscode from "vscode";

import type { Parts } from "../parts.js";
import { followFront } from "../place.js";
import { registerContexts } from "./contexts.js";
import { registerFlowPanel } from "./flow/panel.js";
import { registerGenerated } from "./generated.js";
import { registerKernels } from "./kernels.js";
import { registerRunPanel } from "./runPanel/panel.js";
import { registerSharedMemory } from "./sharedMemory.js";
import { registerStallShares } from "./stalls/decorations.js";
import { registerStatus } from "./status.js";
import { registerTests } from "./tests/controller.js";
import { registerTextPages } from "./textPages.js";
import { registerTidings } from "./tidings.js";

const VIEWS: readonly ((parts: Parts) => vscode.Disposable)[] = [
  followFront,
  registerContexts,
  registerTidings,
  registerStatus,
  registerKernels,
  registerGenerated,
  registerSharedMemory,
  registerTextPages,
  registerFlowPanel,
  registerRunPanel,
  registerStallShares,
  registerTests,
];

export function registerViews(parts: Parts): vscode.Disposable {
  return vscode.Disposable.from(...VIEWS.map((register) => register(parts)));
}
