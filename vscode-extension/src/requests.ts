/** The names and shapes of the requests beside LSP (docs/protocol.md), as far as they are used here. Must not import `vscode`. */

import type { FlowAt, FlowData } from "./flowTypes.js";
import type { About, Position, Range } from "./lsp.js";
import type { ProfileEnd, ProfileRequest } from "./profileTypes.js";
import type { Past, Progress, RunRequest, RunResult, TestFile } from "./runTypes.js";

export interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly range: Range;
}

export type Form = "cuda" | "ptx" | "sass";

/** Lines of the generated text count from 0, as those of the source. */
export interface Generated {
  readonly code: {
    readonly text: string;
    readonly lines: readonly { readonly line: number; readonly range: Range }[];
    readonly diagnostics: readonly Finding[];
  };
  readonly sources: readonly { readonly line: number; readonly lines: readonly number[] }[];
}

/** What a stage of the compiler made; lines as of `Generated`. */
export interface Ir {
  readonly stages: readonly string[];
  readonly text: string;
  readonly lines: Generated["code"]["lines"];
  readonly sources: Generated["sources"];
}

/** What the use of a macro becomes. */
export interface Expansion {
  readonly name: string;
  readonly use: string;
  readonly range: Range;
  readonly text: string;
}

/** Bytes from the base of the block; `stride` is from one slot to the next. */
export interface SharedTensor {
  readonly name: string;
  readonly range: Range;
  readonly element: string;
  readonly shape: readonly number[];
  readonly offset: number;
  readonly bytes: number;
  readonly slots: number;
  readonly stride: number;
  readonly swizzle: number;
  readonly alignment: number;
}

export interface SharedKernel {
  readonly function: string;
  readonly kernel: string;
  readonly bytes: number;
  readonly limit: number;
  readonly tensors: readonly SharedTensor[];
}

export interface SharedMemory {
  readonly arch: string;
  readonly kernels: readonly SharedKernel[];
  readonly diagnostics: readonly Finding[];
}

/** `command`, where it is not empty, is what a shell runs to mend it. */
export interface Checked {
  readonly name: string;
  readonly state: "ok" | "missing" | "broken" | "optional";
  readonly detail: string;
  readonly hint: string;
  readonly command: string;
}

export interface Doctor {
  readonly ready: boolean;
  readonly summary: string;
  readonly findings: readonly Checked[];
}

/** What stands of a document beside its findings. */
export interface DocumentFacts {
  readonly dialect: string;
  readonly arch: string;
}

type Of = Pick<About, "textDocument">;

/** Parameters and result of each request, by its name. */
export interface Requests {
  "croqtile/run": { readonly params: RunRequest | ProfileRequest; readonly result: { readonly id: number; readonly started: boolean } };
  "croqtile/flow": { readonly params: About; readonly result: FlowData };
  "croqtile/flowAt": { readonly params: About & { readonly position: Position }; readonly result: FlowAt };
  "croqtile/flowPage": { readonly params: About & { readonly nonce: string }; readonly result: { readonly html: string } };
  "croqtile/generated": { readonly params: About & { readonly form: Form }; readonly result: Generated };
  "croqtile/ir": { readonly params: Of & { readonly after?: string }; readonly result: Ir };
  "croqtile/expansion": { readonly params: Of & { readonly position: Position }; readonly result: Expansion };
  "croqtile/sharedMemory": { readonly params: About; readonly result: SharedMemory };
  "croqtile/doctor": { readonly params: Readonly<Record<string, never>>; readonly result: Doctor };
  "croqtile/document": { readonly params: Of; readonly result: DocumentFacts };
  "croqtile/runCancel": { readonly params: { readonly id?: number }; readonly result: { readonly cancelled: boolean } };
  "croqtile/runs": { readonly params: About; readonly result: { readonly runs: readonly Past[] } };
  "croqtile/tests": { readonly params: Partial<About>; readonly result: { readonly files: readonly TestFile[] } };
}

/** The parameters of each notification from the server, by its name. */
export interface Notifications {
  "croqtile/runProgress": Progress;
  "croqtile/runResult": RunResult | ProfileEnd;
}

export const NOTICES = ["croqtile/runProgress", "croqtile/runResult"] as const satisfies readonly (keyof Notifications)[];

export type Method = keyof Requests;
export type Notice = keyof Notifications;
