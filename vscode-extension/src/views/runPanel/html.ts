/** The HTML of the run panel, made of its view. Every text is escaped here. Must not import `vscode` or decide what is shown. */
import type { Position } from "../../lsp.js";
import { say, text as escaped } from "../page.js";
import type { View } from "./model.js";
import type { Plot, Series } from "./plot.js";
import type { Section } from "./section.js";
import type { Cell, Line, Table, Tone } from "./table.js";

/** What a page says to the extension: an action, or a place of the source to go to. */
export type Said = { readonly do: Action } | Position;
export type Action = "again" | "sim" | "gpu" | "verify" | "copy" | "cancel" | "force";

const SIGNS: Readonly<Record<Tone, string>> = { good: "✓", bad: "✗", none: "–" };
const TITLES: readonly (readonly [Action, string])[] = [
  ["again", "Run Again"],
  ["gpu", "Run on GPU"],
  ["sim", "Run in the Simulator"],
  ["verify", "Verify"],
  ["copy", "Copy Report"],
];

const OFFERS: Readonly<Record<NonNullable<View["offer"]>, string>> = { sim: "Run in the Simulator", force: "Run Anyway" };

/** Characters of a cell from which on it may take several lines. */
const LONG = 24;

/** Escaped, with what stands between backquotes as code. */
function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function saying(said: Said): string {
  return say(said);
}

/** The body of the page. */
export function bodyOf(view: View): string {
  return [
    top(view),
    view.busy === undefined ? "" : busy(view.busy),
    view.headline === undefined ? "" : headline(view.headline, view),
    view.verification === undefined ? "" : table(view.verification),
    view.overview === undefined ? "" : table(view.overview),
    ...view.plots.map(plot),
    ...view.sections.map((one) => section(one, view.sections.length > 1)),
    view.history === undefined ? "" : table(view.history),
  ].join("\n");
}

function top(view: View): string {
  const actions = view.busy === undefined && view.headline !== undefined ? TITLES : [];
  const buttons = actions.map(([action, title]) => `<button class="action" ${saying({ do: action })}>${title}</button>`).join("");
  const file = view.file === view.title ? "" : ` <span class="soft">${escaped(view.file)}</span>`;
  return `<header><h1>${escaped(view.title)}${file}</h1><div class="actions" role="toolbar" aria-label="Actions">${buttons}</div></header>`;
}

function busy({ text, share }: NonNullable<View["busy"]>): string {
  const value = share === undefined ? "" : ` value="${share}"`;
  return `<section class="busy"><progress id="bar" max="1"${value} aria-label="Progress of the run"></progress>
<span id="news" role="status">${escaped(text)}</span><button class="action" id="cancel" ${saying({ do: "cancel" })}>Cancel</button></section>`;
}

function headline({ word, tone, said }: NonNullable<View["headline"]>, view: View): string {
  const offer = view.offer === undefined ? "" : `<p><button class="action main" ${saying({ do: view.offer })}>${OFFERS[view.offer]}</button></p>`;
  return `<section class="verdict ${tone}" role="status"><span class="sign" aria-hidden="true">${SIGNS[tone]}</span>
<div><p class="word">${escaped(word)}</p><p>${prose(said)}</p>${view.compared.map(compared).join("")}${offer}</div></section>`;
}

function compared(line: Line): string {
  return `<p class="compared ${line.tone ?? "none"}">${prose(line.text)}</p>`;
}

function section(one: Section, several: boolean): string {
  const badge = `<span class="badge ${one.tone}">${escaped(one.verdict)}</span>`;
  const [open, close] = several
    ? [`<details${one.tone === "good" ? "" : " open"}><summary>${badge} <h2>${escaped(one.title)}</h2></summary>`, "</details>"]
    : [`<section><h2>${escaped(one.title)}</h2>`, "</section>"];
  return [
    `${open}<p class="soft">${escaped(one.facts)}</p>`,
    one.message === undefined ? "" : `<p>${linked(one.message)}</p>`,
    one.hang.length === 0 ? "" : `<h3>Where it stands</h3><ul class="plain">${one.hang.map((line) => `<li>${linked(line)}</li>`).join("")}</ul>`,
    one.rates === undefined ? "" : table(one.rates),
    one.expectations.length === 0 ? "" : `<h3>What was compared</h3><ul class="plain">${one.expectations.map(expectation).join("")}</ul>`,
    one.worst === undefined ? "" : table(one.worst),
    one.notes.length === 0 ? "" : `<h3>Notes</h3><ul>${one.notes.map((note) => `<li>${prose(note)}</li>`).join("")}</ul>`,
    one.prints === "" ? "" : `<h3>Printed</h3><pre tabindex="0">${escaped(one.prints)}</pre>`,
    close,
  ].join("\n");
}

function expectation(one: Section["expectations"][number]): string {
  const sign = one.tone === "good" ? "holds" : "fails";
  return `<li><span class="${one.tone}" role="img" aria-label="${sign}">${SIGNS[one.tone]}</span> <code>${escaped(one.text)}</code>
<div class="under">${escaped(one.said)}</div><div class="under soft">${escaped(one.rule)}</div></li>`;
}

function linked({ text, place }: Line): string {
  return place === undefined
    ? prose(text)
    : `<button class="link" ${saying({ line: place.line, character: place.character })}>line ${place.line + 1}</button> ${prose(text)}`;
}

/** In a frame that scrolls by itself where the panel is narrow. */
function table(one: Table): string {
  const isNumber = (at: number): string => (one.numbers.includes(at) ? ' class="number"' : "");
  const columns = one.columns.map((name, at) => `<th scope="col"${isNumber(at)}>${escaped(name)}</th>`).join("");
  const rows = one.rows.map((row) => `<tr>${row.map((cell, at) => `<td${cell.text.length > LONG ? ' class="long"' : isNumber(at)}>${cellOf(cell)}</td>`).join("")}</tr>`).join("\n");
  return `<h3>${escaped(one.caption)}</h3><div class="scroll" tabindex="0" role="region" aria-label="${escaped(one.caption)}"><table>
<thead><tr>${columns}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

function cellOf({ text, tone, code }: Cell): string {
  const inner = code === true ? `<code>${escaped(text)}</code>` : escaped(text);
  return tone === undefined || tone === "none" ? inner : `<span class="${tone}">${inner}</span>`;
}

function plot(one: Plot): string {
  const { left, right, top: upper, bottom } = one.frame;
  const grid = one.yTicks.map(
    ({ at, label }) =>
      `<line class="grid" x1="${left}" x2="${right}" y1="${round(at)}" y2="${round(at)}"/><text class="y" x="${left - 8}" y="${round(at + 4)}">${escaped(label)}</text>`,
  );
  const sizes = one.xTicks.map(({ at, label }) => `<text class="x" x="${round(at)}" y="${bottom + 18}">${escaped(label)}</text>`);
  const axes = `<text class="x soft" x="${(left + right) / 2}" y="${bottom + 38}">${escaped(one.xLabel)}</text>
<text class="soft" x="14" y="${(upper + bottom) / 2}" transform="rotate(-90 14 ${(upper + bottom) / 2})" text-anchor="middle">${escaped(one.yLabel)}</text>`;
  return `<figure><figcaption>${escaped(one.title)}</figcaption>
<svg viewBox="0 0 ${one.width} ${one.height}" role="img" aria-label="${escaped(`TFLOP/s over size. ${one.summary}`)}">
${grid.join("\n")}
${sizes.join("\n")}
${axes}
${one.series.map(series).join("\n")}
</svg>
<ul class="legend">${one.series.map(({ kind, name }) => `<li><svg viewBox="0 0 24 10" aria-hidden="true">${swatch(kind)}</svg>${escaped(name)}</li>`).join("")}</ul></figure>`;
}

function series({ kind, marks }: Series): string {
  const points = marks.map((mark) => `${round(mark.x)},${round(mark.y)}`).join(" ");
  const line = marks.length > 1 ? `<polyline class="${kind}" points="${points}"/>` : "";
  const isDrawn = kind === "now" || kind === "before";
  const circles = isDrawn ? marks.map((mark) => `<circle class="${kind}" cx="${round(mark.x)}" cy="${round(mark.y)}" r="4"><title>${escaped(mark.label)}</title></circle>`) : [];
  return [line, ...circles].join("\n");
}

function swatch(kind: Series["kind"]): string {
  const circle = kind === "now" || kind === "before" ? `<circle class="${kind}" cx="12" cy="5" r="4"/>` : "";
  return `<polyline class="${kind}" points="0,5 24,5"/>${circle}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
