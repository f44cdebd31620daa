/** Commands that run kernels: in the simulator, on the card, both; the end of a run. */
import * as vscode from "vscode";

import { type Command, type Parts, Refusal } from "../parts.js";
import type { About } from "../requests.js";
import type { RunRequest, RunResult } from "../runTypes.js";
import { showRunPanel } from "../views/runPanel/panel.js";
import { functionAt } from "./functionAt.js";

type Wish = Pick<RunRequest, "task" | "engine">;

export const run: Command = { id: "croqtile.run", run: (parts, ...args) => begin(parts, args, { task: "run" }) };
export const runGpu: Command = { id: "croqtile.runGpu", run: (parts, ...args) => begin(parts, args, { task: "run", engine: "gpu" }) };
export const runSimulator: Command = {
  id: "croqtile.runSimulator",
  run: (parts, ...args) => begin(parts, args, { task: "run", engine: "sim" }),
};
export const verify: Command = { id: "croqtile.verify", run: (parts, ...args) => begin(parts, args, { task: "verify" }) };
export const cancelRun: Command = { id: "croqtile.cancelRun", run: cancel };
export const showRun: Command = { id: "croqtile.showRun", run: (parts, ...args) => showLast(parts, args) };

const SIMULATE = "Run in the Simulator";
const TRUST = "Manage Trust";
const CANCEL = "Cancel Run";

async function begin(parts: Parts, args: readonly unknown[], wish: Wish): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    await explainTrust();
    return;
  }
  const about = await functionAt(args);
  if (about === undefined) {
    return;
  }
  const { started, end } = await parts.runs.start({ ...about, ...wish });
  await showRunPanel(parts);
  if (!started) {
    void offerCancel(parts);
    return;
  }
  await tellEnd(about, (await end).result);
}

async function explainTrust(): Promise<void> {
  const text = "Croqtile: This workspace is not trusted, so nothing in it is run";
  if ((await vscode.window.showWarningMessage(text, TRUST)) === TRUST) {
    await vscode.commands.executeCommand("workbench.trust.manage");
  }
}

async function offerCancel(parts: Parts): Promise<void> {
  const running = parts.runs.current?.id;
  const choice = await vscode.window.showInformationMessage("Croqtile: A run is under way; it goes on", CANCEL);
  if (choice === CANCEL) {
    await parts.runs.cancel(running);
  }
}

/** What came of a run stands in the panel; that there was none is said as well. */
async function tellEnd(about: About, result: RunResult): Promise<void> {
  if (result.state === "failed") {
    void vscode.window.showErrorMessage(`Croqtile: ${result.message}`);
  } else if (result.state === "refused") {
    const ways = result.offer === "sim" ? [SIMULATE] : [];
    if ((await vscode.window.showWarningMessage(`Croqtile: ${result.message}`, ...ways)) === SIMULATE) {
      await vscode.commands.executeCommand(runSimulator.id, about.textDocument.uri, about.entry ?? null);
    }
  }
}

async function cancel({ runs }: Parts): Promise<void> {
  if (!(await runs.cancel())) {
    throw new Refusal("No run is under way");
  }
}

/** The result of the last run of a function, as the server has it. */
async function showLast(parts: Parts, args: readonly unknown[]): Promise<void> {
  const [uri, entry] = args;
  if (typeof uri !== "string") {
    await showRunPanel(parts);
    return;
  }
  const known = (await parts.server.execute(showRun.id, uri, entry)) as RunResult | { readonly message: string };
  if (!("state" in known)) {
    throw new Refusal(known.message);
  }
  const about: About = typeof entry === "string" ? { textDocument: { uri }, entry } : { textDocument: { uri } };
  await showRunPanel(parts, { request: { ...about, task: known.task }, result: known });
}
