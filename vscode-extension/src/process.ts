/** Runs a program without a shell. Must not import `vscode`. */
import { execFile } from "node:child_process";
import { homedir } from "node:os";

import { isBare, type ProcessResult } from "./python.js";

const TIME_LIMIT_MS = 10_000;

/**
 * What a Python child gets: the editor's environment, and no imports from the working directory, so that a file
 * of the workspace cannot stand in for a module.
 */
export function pythonEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, PYTHONSAFEPATH: "1" };
}

/** How the server is started. Left to the client of the protocol, its folder would be the workspace's. */
export function serverProcess(command: string): { command: string; args: string[]; options: { cwd: string; env: NodeJS.ProcessEnv } } {
  return { command, args: ["-m", "croqls"], options: { cwd: homedir(), env: pythonEnvironment() } };
}

/** Runs `command` to its end, at most ten seconds, away from the workspace; never throws. A name is one that the PATH lacks. */
export function runProcess(command: string, args: readonly string[]): Promise<ProcessResult> {
  if (isBare(command)) {
    return Promise.resolve({ kind: "failed", reason: "no such program" });
  }
  return new Promise((resolve) => {
    const options = {
      timeout: TIME_LIMIT_MS,
      windowsHide: true,
      maxBuffer: 1 << 20,
      cwd: homedir(),
      env: pythonEnvironment(),
    };
    try {
      execFile(command, [...args], options, (error, stdout, stderr) => {
        if (error === null) {
          resolve({ kind: "exited", code: 0, stdout, stderr });
        } else if (typeof error.code === "number") {
          resolve({ kind: "exited", code: error.code, stdout, stderr });
        } else {
          const reason = error.killed ? "no answer within 10 s" : String(error.code ?? error.message);
          resolve({ kind: "failed", reason: reason === "ENOENT" ? "no such program" : reason });
        }
      });
    } catch (error) {
      resolve({ kind: "failed", reason: String(error) });
    }
  });
}
