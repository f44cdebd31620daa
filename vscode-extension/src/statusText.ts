/** What the status item says: server, dialect, target, engine, card. Must not import `vscode`. */
import type { Doctor, DocumentFacts } from "./requests.js";
import { type ServerState, show, type Shown } from "./state.js";

export interface Status {
  /** With the editor's icons, as in `$(pass) Croqtile`. */
  readonly text: string;
  readonly severity: Shown["severity"];
  /** Name and value of each line behind it. */
  readonly rows: readonly (readonly [string, string])[];
  /** The command of a click. */
  readonly command: string;
}

/** The first card's name; undefined where kernels cannot run on one. */
export function cardOf(report: Doctor): string | undefined {
  const card = report.findings.find((one) => one.name === "card" && one.state === "ok");
  return report.ready ? (card?.detail.split(",")[0] ?? "GPU") : undefined;
}

const ICONS: Readonly<Record<Shown["severity"], string>> = { information: "$(pass)", warning: "$(warning)", error: "$(error)" };

function commandOf(state: ServerState): string {
  switch (state.kind) {
    case "not-found":
      return "croqtile.chooseEnvironment";
    case "crashed":
    case "stopped":
      return "croqtile.restartServer";
    default:
      return "croqtile.doctor";
  }
}

/** `facts` of the file in front and the doctor's `report`, as far as they are known. */
export function statusOf(state: ServerState, facts: DocumentFacts | undefined, report: Doctor | undefined): Status {
  const { text, detail, severity, busy } = show(state);
  const card = report === undefined ? undefined : cardOf(report);
  const engine = card ?? (report === undefined ? undefined : "simulator");
  const running = state.kind === "running";
  const parts = running ? [facts?.dialect, engine].filter((one) => one !== undefined && one !== "any") : [];
  const rows: (readonly [string, string])[] = [["Server", detail]];
  if (running && facts !== undefined) {
    rows.push(["Dialect", facts.dialect === "any" ? "any (nothing in this file tells)" : facts.dialect], ["Target", facts.arch]);
  }
  if (running && report !== undefined) {
    rows.push(["Engine", card === undefined ? "simulator" : "GPU, simulator"], ["Card", cardLine(report, card)]);
  }
  return {
    text: `${busy ? "$(sync~spin)" : ICONS[severity]} ${[text, ...parts].join(" · ")}`,
    severity,
    rows,
    command: commandOf(state),
  };
}

function cardLine(report: Doctor, card: string | undefined): string {
  const found = report.findings.filter((one) => one.name === "card" && one.state === "ok").map((one) => one.detail);
  return card === undefined || found.length === 0 ? "none that kernels can run on" : found.join("; ");
}
