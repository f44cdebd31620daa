/** The page of the run panel: its style, and the script that takes what the extension sends. Must not import `vscode`. */
import { html } from "../page.js";

/** What the extension sends. `body` is HTML made by html.ts; `kept` is given back after a reload of the window. */
export type Sent = { readonly body: string; readonly kept: unknown } | { readonly news: string; readonly share: number | undefined };

export function frame(): string {
  return html({ title: "Croqtile run", style: STYLE, body: '<main id="main"></main>', script: SCRIPT });
}

const STYLE = `
:root { --good: var(--vscode-charts-green, #388a34); --bad: var(--vscode-charts-red, #d13438);
  --rule: var(--vscode-panel-border, #8885); --soft: var(--vscode-descriptionForeground); --box: var(--vscode-contrastBorder, transparent); }
body { padding-top: 0; color: var(--vscode-foreground); }
main { max-width: 860px; }
header { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: baseline; padding: 14px 0 10px; position: sticky; top: 0; z-index: 1;
  background: var(--vscode-editor-background); border-bottom: 1px solid var(--rule); margin-bottom: 14px; }
h1 { font-size: 1.3em; font-weight: 600; margin: 0; flex: 1 1 auto; overflow-wrap: anywhere; }
h1 .soft { font-weight: 400; font-size: 0.8em; margin-left: 6px; }
h2 { font-size: 1.1em; font-weight: 600; margin: 28px 0 2px; overflow-wrap: anywhere; }
h3, figcaption { font-size: 1em; font-weight: 600; margin: 18px 0 6px; }
p { margin: 0 0 4px; overflow-wrap: anywhere; }
pre { font-family: var(--vscode-editor-font-family, monospace); font-size: 0.95em; }
code { overflow-wrap: anywhere; padding: 0; background: none; color: inherit; }
pre { margin: 0; padding: 8px 12px; overflow: auto; max-height: 20em; background: var(--vscode-textCodeBlock-background); border: 1px solid var(--box); }
.good { color: var(--good); } .bad { color: var(--bad); }
.actions { display: flex; flex-wrap: wrap; gap: 6px; }
[tabindex]:focus-visible, summary:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 1px; }
button.action.main { margin-top: 6px; color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
button.action.main:hover { background: var(--vscode-button-hoverBackground); }
.busy { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px; padding: 10px 0; }
progress { flex: 1 1 160px; max-width: 320px; height: 6px; appearance: none; border: 1px solid var(--box); background: var(--rule); border-radius: 3px; overflow: hidden; }
progress::-webkit-progress-bar { background: transparent; }
progress::-webkit-progress-value { background: var(--vscode-progressBar-background, #0e70c0); }
progress:indeterminate { background: linear-gradient(90deg, var(--rule) 30%, var(--vscode-progressBar-background, #0e70c0) 50%, var(--rule) 70%) 0 / 200% 100%; animation: wait 1.6s linear infinite; }
@keyframes wait { from { background-position: 100% 0; } to { background-position: -100% 0; } }
@media (prefers-reduced-motion: reduce) { progress:indeterminate { animation: none; } }
#news { font-variant-numeric: tabular-nums; }
.verdict { display: flex; gap: 14px; padding: 12px 16px; border: 1px solid var(--box); border-left: 4px solid var(--soft); color: var(--vscode-foreground);
  background: var(--vscode-textBlockQuote-background, transparent); }
.verdict.good { border-left-color: var(--good); } .verdict.bad { border-left-color: var(--bad); }
.verdict .sign { font-size: 1.9em; line-height: 1.1; color: var(--soft); }
.verdict.good .sign, .verdict.good .word { color: var(--good); } .verdict.bad .sign, .verdict.bad .word { color: var(--bad); }
.verdict .word { font-size: 1.4em; font-weight: 600; line-height: 1.25; }
details { margin-top: 14px; border-top: 1px solid var(--rule); padding-top: 8px; }
summary { cursor: pointer; } summary h2 { display: inline; }
.compared { margin-top: 6px; color: var(--soft); } .compared.good, .compared.bad { color: var(--vscode-foreground); }
.badge { font-size: 0.8em; padding: 1px 7px; border: 1px solid currentColor; border-radius: 9px; vertical-align: 1px; margin-right: 4px; }
ul { margin: 0; padding-left: 20px; } ul.plain { list-style: none; padding: 0; } ul.plain li { margin-bottom: 8px; }
.under { padding-left: 1.4em; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
th { font-weight: 400; }
th, td { padding: 3px 18px 3px 0; white-space: nowrap; }
td.long { white-space: normal; min-width: 14em; }
@media (max-width: 820px) { th, td { white-space: normal; padding-right: 12px; vertical-align: top; } td.long { min-width: 9em; } td.number { white-space: nowrap; } }
figure { margin: 0; } figure > svg { width: 100%; max-width: 640px; height: auto; }
svg text { fill: var(--vscode-foreground); font-size: 12px; } svg text.soft { fill: var(--soft); }
svg text.x { text-anchor: middle; } svg text.y { text-anchor: end; }
svg .grid { stroke: var(--rule); }
svg polyline { fill: none; stroke-width: 1.5; }
svg .now { stroke: var(--vscode-charts-blue, #3794ff); } svg circle.now { fill: var(--vscode-charts-blue, #3794ff); }
svg .before { stroke: var(--soft); stroke-dasharray: 1 3; } svg circle.before { fill: var(--vscode-editor-background); stroke-dasharray: none; stroke-width: 1.5; }
svg .cublas { stroke: var(--vscode-charts-green, #89d185); stroke-dasharray: 7 4; }
svg .memory { stroke: var(--vscode-charts-orange, #d18616); stroke-dasharray: 2 3; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 18px; padding: 0; color: var(--soft); }
.legend svg { width: 24px; height: 10px; margin-right: 6px; }
`;

const SCRIPT = `
const main = document.getElementById("main");
addEventListener("message", ({ data }) => {
  if (data.body !== undefined) {
    const focused = document.activeElement?.dataset?.say;
    main.innerHTML = data.body;
    if (focused !== undefined) [...main.querySelectorAll("[data-say]")].find((one) => one.dataset.say === focused)?.focus();
    state.kept = data.kept;
    editor.setState(state);
  } else if (data.news !== undefined && document.getElementById("news") !== null) {
    document.getElementById("news").textContent = data.news;
    if (data.share !== undefined) document.getElementById("bar").value = data.share;
  }
});
`;
