/**
 * What the user is told of the server without having asked: one message with one button, and never the same one in a
 * loop. Must not import `vscode`.
 */
import { describe } from "./python.js";
import type { Way } from "./refusal.js";
import { type Found, type NotFound, type ServerState, unreachable, type Why } from "./state.js";

export interface Tiding {
  readonly text: string;
  readonly way: Way;
}

export const CREATE: Way = { title: "Create Environment", command: "croqtile.createEnvironment" };
export const CHOOSE: Way = { title: "Choose Environment", command: "croqtile.chooseEnvironment" };
export const OUTPUT: Way = { title: "Show Output", command: "croqtile.showOutput" };
export const RESTART: Way = { title: "Restart", command: "croqtile.restartServer" };
export const TRUST: Way = { title: "Manage Trust", command: "workbench.trust.manage" };

/** How long a server that ended and was started again is not spoken of once more. */
const QUIET_MS = 3 * 60_000;

function wayOut(outcome: NotFound): Way {
  if (outcome.kind === "nothing-to-try") {
    return TRUST;
  }
  if (outcome.kind === "package-broken") {
    return OUTPUT;
  }
  return outcome.candidate.origin === "setting" ? CHOOSE : CREATE;
}

/** Why no server answers, and the way out. */
export function remedy(state: Exclude<ServerState, { kind: "running" }>): Tiding {
  switch (state.kind) {
    case "not-found":
      return state.trusted || state.outcome.kind === "nothing-to-try"
        ? { text: describe(state.outcome), way: wayOut(state.outcome) }
        : { text: `${describe(state.outcome)} No Python inside this workspace is tried: it is not trusted.`, way: TRUST };
    case "crashed":
      return { text: state.reason, way: state.worked ? RESTART : OUTPUT };
    case "searching":
    case "starting":
    case "stopped":
      return { text: "The language server is not running", way: RESTART };
    default:
      return unreachable(state);
  }
}

const DELETED = "The Python environment of the language server was deleted";

function moved(found: Found): Tiding {
  return { text: `${DELETED}; now it runs in ${describe(found)}`, way: CHOOSE };
}

/** Follows the states of one server and says which of them the user is told of. */
export class Tidings {
  private why: Why = "start";
  private last = "";
  private recovered = -Infinity;

  constructor(private readonly now: () => number = Date.now) {}

  about(state: ServerState): Tiding | undefined {
    switch (state.kind) {
      case "searching":
        this.why = state.why;
        if (state.why === "asked") {
          this.last = "";
        }
        return undefined;
      case "running":
        this.last = "";
        return this.why === "deleted" ? moved(state.found) : this.why === "ended" ? this.again() : undefined;
      case "not-found":
      case "crashed":
        return this.once(remedy(state));
      case "starting":
      case "stopped":
        return undefined;
      default:
        return unreachable(state);
    }
  }

  private again(): Tiding | undefined {
    const now = this.now();
    if (now - this.recovered < QUIET_MS) {
      return undefined;
    }
    this.recovered = now;
    return { text: "The language server ended by itself and was started again", way: OUTPUT };
  }

  /** A request that found no server says so itself. */
  private once({ text, way }: Tiding): Tiding | undefined {
    const told = this.why === "request" || text === this.last;
    this.last = text;
    return told ? undefined : { text: this.why === "deleted" ? `${DELETED}. ${text}` : text, way };
  }
}
