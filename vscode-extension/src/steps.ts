/** Runs the steps of installing.ts as tasks of the editor, each in its terminal, with progress and a way to cancel. */
import { homedir } from "node:os";
import * as vscode from "vscode";

import { type Step, typed } from "./installing.js";
import { Refusal } from "./refusal.js";

/** How long a step that is to end may take for it; what it made is deleted then. */
const LAST_WORDS_MS = 5000;

/** Resolves when all have ended well. Throws CancellationError, or Refusal for a step that failed. */
export async function runSteps(steps: readonly Step[]): Promise<void> {
  const options = { location: vscode.ProgressLocation.Notification, title: "Croqtile", cancellable: true };
  await vscode.window.withProgress(options, async (progress, token) => {
    for (const [at, step] of steps.entries()) {
      progress.report({ message: `${step.title} (${at + 1} of ${steps.length})` });
      const code = await runTask(step, token);
      if (token.isCancellationRequested) {
        throw new vscode.CancellationError();
      }
      if (code !== 0) {
        throw new Refusal(`'${typed(step, process.platform)}' ended with code ${code ?? "none"}; its terminal says why`, {
          title: "Show Terminal",
          command: "workbench.action.terminal.focus",
        });
      }
    }
  });
}

async function runTask(step: Step, token: vscode.CancellationToken): Promise<number | undefined> {
  const scope = vscode.workspace.workspaceFolders === undefined ? vscode.TaskScope.Global : vscode.TaskScope.Workspace;
  // Left to the editor, the folder would be that of the workspace, whose files are not for these programs.
  const how = new vscode.ProcessExecution(step.command, [...step.args], { cwd: homedir() });
  const task = new vscode.Task({ type: "process", step: step.title }, scope, step.title, "Croqtile", how);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: false, showReuseMessage: false };
  const parts: vscode.Disposable[] = [];
  try {
    return await new Promise((resolve, reject) => {
      let execution: vscode.TaskExecution | undefined;
      parts.push(
        vscode.tasks.onDidEndTaskProcess((end) => end.execution === execution && resolve(end.exitCode)),
        // A program that cannot be started ends without a process.
        vscode.tasks.onDidEndTask((end) => end.execution === execution && setTimeout(() => resolve(undefined), 200)),
        token.onCancellationRequested(() => {
          execution?.terminate();
          setTimeout(() => resolve(undefined), LAST_WORDS_MS); // unless its end is told before
        }),
      );
      vscode.tasks.executeTask(task).then((started) => (execution = started), reject);
    });
  } finally {
    vscode.Disposable.from(...parts).dispose();
  }
}
