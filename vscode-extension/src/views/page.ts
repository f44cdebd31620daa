/**
 * The frame of the extension's own pages: a strict policy, the editor's colours, one small script for all of them.
 * Must not import `vscode`.
 *
 * A button with `data-say` sends that JSON to the extension; inside `data-keys` the arrow keys go from one to the next.
 */
import { randomBytes } from "node:crypto";

export interface Page {
  readonly title: string;
  readonly style: string;
  /** HTML; texts in it are escaped by `text`. */
  readonly body: string;
  /** More of the page's script, behind that of all pages: it knows `editor` and `state`. */
  readonly script?: string;
}

/** What the extension sends to a page: the `id`s of the elements that are lit. */
export interface Lit {
  readonly lit: readonly string[];
}

/** Whether this is what a page says when it was loaded, and can be sent something. */
export function isReady(said: unknown): boolean {
  return typeof said === "object" && said !== null && "ready" in said;
}

export function text(plain: string): string {
  return plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** The attribute that makes an element say something to the extension. */
export function say(message: unknown): string {
  return `data-say="${text(JSON.stringify(message))}"`;
}

const STYLE = `
body { margin: 0; padding: 16px 20px 32px; background: var(--vscode-editor-background); color: var(--vscode-editor-foreground);
  font: var(--vscode-font-size, 13px)/1.5 var(--vscode-font-family, sans-serif); }
h1 { font-size: 1.35em; font-weight: 600; margin: 0; }
h2 { font-size: 1.1em; font-weight: 600; margin: 24px 0 8px; }
p { margin: 0 0 10px; }
code, .mono { font-family: var(--vscode-editor-font-family, monospace); font-size: 0.95em; }
.soft { color: var(--vscode-descriptionForeground); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
button { font: inherit; color: inherit; cursor: pointer; }
button:focus-visible { outline: 2px solid var(--vscode-focusBorder); outline-offset: 1px; }
button.link { border: 0; padding: 0; background: none; color: var(--vscode-textLink-foreground); }
button.link:hover { text-decoration: underline; }
button.action { border: 1px solid var(--vscode-button-border, transparent); border-radius: 3px; padding: 2px 10px;
  background: var(--vscode-button-secondaryBackground); color: var(--vscode-button-secondaryForeground); }
button.action:hover { background: var(--vscode-button-secondaryHoverBackground); }
table { border-collapse: collapse; }
th { text-align: left; font-weight: 600; color: var(--vscode-descriptionForeground); }
th, td { padding: 4px 16px 4px 0; vertical-align: top; border-bottom: 1px solid var(--vscode-panel-border, #8883); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
`;

const SCRIPT = `
const editor = acquireVsCodeApi();
const state = editor.getState() ?? {};
addEventListener("load", () => {
  scrollTo(0, state.scroll ?? 0);
  document.getElementById(state.focus ?? "")?.focus({ preventScroll: true });
  editor.postMessage({ ready: true });
});
addEventListener("scroll", () => { state.scroll = scrollY; editor.setState(state); }, { passive: true });
addEventListener("focusin", (event) => { state.focus = event.target.id; editor.setState(state); });
addEventListener("click", (event) => {
  const said = event.target.closest("[data-say]")?.dataset.say;
  if (said !== undefined) editor.postMessage(JSON.parse(said));
});
addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const all = [...(event.target.closest("[data-keys]")?.querySelectorAll("[data-say]") ?? [])];
  const at = all.indexOf(event.target);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  all[(at + step + all.length) % all.length].focus();
});
addEventListener("message", ({ data }) => {
  for (const old of document.querySelectorAll(".lit")) old.classList.remove("lit");
  for (const id of data.lit ?? []) document.getElementById(id)?.classList.add("lit");
});
`;

/** A number used once. */
export function newNonce(): string {
  return randomBytes(16).toString("hex");
}

/** The whole document. Nothing is loaded from anywhere; styles and the script bear a number used once. */
export function html(page: Page): string {
  const nonce = newNonce();
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${text(page.title)}</title>
<style nonce="${nonce}">${STYLE}${page.style}</style>
</head>
<body>
${page.body}
<script nonce="${nonce}">${SCRIPT}${page.script ?? ""}</script>
</body>
</html>
`;
}
