/** The doctor's report on this machine: whoever asks for it lets all others know. */
import type * as vscode from "vscode";

import type { Server } from "./client.js";
import type { Doctor } from "./requests.js";
import { Signal } from "./signal.js";

const reported = new Signal<Doctor>();

export const onReport = reported.event;

export async function askDoctor(server: Server, token?: vscode.CancellationToken): Promise<Doctor> {
  const report = await server.request("croqtile/doctor", {}, token);
  reported.fire(report);
  return report;
}
