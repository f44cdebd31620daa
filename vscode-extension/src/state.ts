/** What the server is doing, as the user sees it. Must not import `vscode`. */
import { describe, type Outcome, type Probe } from "./python.js";

export type Found = Extract<Probe, { kind: "found" }>;
export type NotFound = Exclude<Outcome, { kind: "found" }>;

/** Why a server is looked for: `ended`, it did so by itself; `deleted`, its Python was; `request`, one found that out. */
export type Why = "start" | "asked" | "surroundings" | "deleted" | "request" | "ended";

/** `worked`: it had answered before it ended; `trusted`: Pythons inside the workspace were looked at, too. */
export type ServerState =
  | { readonly kind: "searching"; readonly why: Why }
  | { readonly kind: "starting"; readonly found: Found }
  | { readonly kind: "running"; readonly found: Found }
  | { readonly kind: "not-found"; readonly outcome: NotFound; readonly trusted: boolean }
  | { readonly kind: "crashed"; readonly reason: string; readonly worked: boolean }
  | { readonly kind: "stopped" };

export interface Shown {
  /** A word or two for the status item. */
  readonly text: string;
  /** One sentence. */
  readonly detail: string;
  readonly severity: "information" | "warning" | "error";
  readonly busy: boolean;
}

export function show(state: ServerState): Shown {
  switch (state.kind) {
    case "searching":
      return { text: "Croqtile", detail: "Looking for a Python", severity: "information", busy: true };
    case "starting":
      return { text: "Croqtile", detail: `Starting: ${describe(state.found)}`, severity: "information", busy: true };
    case "running":
      return { text: "Croqtile", detail: describe(state.found), severity: "information", busy: false };
    case "not-found":
      return { text: "Croqtile: no server", detail: describe(state.outcome), severity: "warning", busy: false };
    case "crashed":
      return { text: "Croqtile: server ended", detail: state.reason, severity: "error", busy: false };
    case "stopped":
      return { text: "Croqtile: server stopped", detail: "The language server is not running", severity: "warning", busy: false };
    default:
      return unreachable(state);
  }
}

export function unreachable(value: never): never {
  throw new Error(`unexpected state: ${JSON.stringify(value)}`);
}
