/** The doctor's report as a page: what is there, what is missing, and the command that mends it. Must not import `vscode`. */
import type { Checked, Doctor } from "../requests.js";
import { type Page, say, text } from "./page.js";

/** What a button says; the command is looked up in the report, never taken from the page. */
export interface Wish {
  readonly wish: "copy" | "run" | "again" | "environment";
  readonly finding?: number;
}

/** The command that a page asks for; undefined for what is none. */
export function commandOf(report: Doctor, wish: unknown): { readonly wish: Wish["wish"]; readonly command: string } | undefined {
  const { wish: what, finding } = (wish ?? {}) as Partial<Record<string, unknown>>;
  if (what === "again" || what === "environment") {
    return { wish: what, command: "" };
  }
  const command = typeof finding === "number" ? (report.findings[finding]?.command ?? "") : "";
  return (what === "copy" || what === "run") && command !== "" ? { wish: what, command } : undefined;
}

const SIGNS: Readonly<Record<Checked["state"], string>> = { ok: "✓", missing: "✗", broken: "✗", optional: "–" };

const STYLE = `
header { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: baseline; margin-bottom: 6px; }
header button { margin-left: auto; }
.verdict { border-left: 3px solid var(--vscode-charts-yellow, #b89500); padding: 6px 12px; margin: 12px 0 18px; background: var(--vscode-textBlockQuote-background); }
.verdict.ready { border-color: var(--vscode-charts-green, #388a34); }
.verdict p { margin: 0; }
ul { list-style: none; margin: 0; padding: 0; max-width: 860px; }
li { display: grid; grid-template-columns: 22px 130px 1fr; gap: 2px 8px; padding: 8px 0; border-bottom: 1px solid var(--vscode-panel-border, #8883); }
.sign { font-weight: 700; } .ok { color: var(--vscode-charts-green, #388a34); }
.missing, .broken { color: var(--vscode-charts-red, #e51400); } .optional { color: var(--vscode-descriptionForeground); }
.what { font-weight: 600; }
.mend { grid-column: 3; display: flex; flex-wrap: wrap; gap: 6px 8px; align-items: center; }
.mend code { flex: 1 1 100%; padding: 3px 8px; border-radius: 3px; background: var(--vscode-textCodeBlock-background); overflow-wrap: anywhere; }
`;

function mend({ hint, command }: Checked, at: number): string {
  if (command !== "") {
    const copy = `<button class="action" id="c${at}" ${say({ wish: "copy", finding: at } satisfies Wish)}>Copy</button>`;
    const run = `<button class="action" id="t${at}" ${say({ wish: "run", finding: at } satisfies Wish)}>Run in Terminal</button>`;
    return `<div class="mend"><code>${text(command)}</code>${copy}${run}</div>`;
  }
  return hint === "" ? "" : `<div class="mend soft">${text(hint)}</div>`;
}

function row(one: Checked, at: number): string {
  const sign = `<span class="sign ${one.state}" role="img" aria-label="${one.state}">${SIGNS[one.state]}</span>`;
  return `<li>${sign}<span class="what">${text(one.name)}</span><span>${text(one.detail)}</span>${mend(one, at)}</li>`;
}

/** `server` is the sentence about the Python that runs it. */
export function doctorPage(report: Doctor, server: string): Page {
  const again = `<button class="action" id="again" ${say({ wish: "again" } satisfies Wish)}>Look Again</button>`;
  const other = `<button class="link" id="other" ${say({ wish: "environment" } satisfies Wish)}>Choose another environment</button>`;
  return {
    title: "Croqtile Doctor",
    style: STYLE,
    body: `<header><h1>Croqtile Doctor</h1>${again}</header>
<p class="soft">${text(server)} · ${other}</p>
<div class="verdict${report.ready ? " ready" : ""}" role="status"><p>${text(report.summary)}</p></div>
<ul>${report.findings.map(row).join("\n")}</ul>`,
  };
}
