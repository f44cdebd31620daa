/** The names and shapes of the requests beside LSP (docs/protocol.md), as far as they are used here. Must not import `vscode`. */

import type { Past, Progress, RunRequest, RunResult, TestFile } from "./runTypes.js";

export interface DocumentId {
  readonly uri: string;
}

/** What most requests are about: a document, and in it one function where `entry` names it. */
export interface About {
  readonly textDocument: DocumentId;
  readonly entry?: string;
  readonly defines?: Readonly<Record<string, string | null>>;
}

/** Parameters and result of each request, by its name. */
export interface Requests {
  "croqtile/run": { readonly params: RunRequest; readonly result: { readonly id: number; readonly started: boolean } };
  "croqtile/runCancel": { readonly params: { readonly id?: number }; readonly result: { readonly cancelled: boolean } };
  "croqtile/runs": { readonly params: About; readonly result: { readonly runs: readonly Past[] } };
  "croqtile/tests": { readonly params: Partial<About>; readonly result: { readonly files: readonly TestFile[] } };
}

/** The parameters of each notification from the server, by its name. */
export interface Notifications {
  "croqtile/runProgress": Progress;
  "croqtile/runResult": RunResult;
}

export const NOTICES = ["croqtile/runProgress", "croqtile/runResult"] as const satisfies readonly (keyof Notifications)[];

export type Method = keyof Requests;
export type Notice = keyof Notifications;
