/** The layout of shared memory as a page: a map of each kernel's bytes, and the same as a table. Must not import `vscode`. */
import { type About, aboutThe, fieldsOf } from "../lsp.js";
import type { Finding, SharedKernel, SharedMemory, SharedTensor } from "../requests.js";
import { type Page, say, text } from "./page.js";

/** What a click says: where the editor shall go. */
export interface Reveal {
  readonly line: number;
  readonly character: number;
}

/** The row of each tensor: those of one row share no byte. */
export function rowsOf(tensors: readonly SharedTensor[]): readonly number[] {
  const ends: number[] = [];
  return tensors.map(({ offset, bytes }) => {
    const free = ends.findIndex((end) => end <= offset);
    const row = free < 0 ? ends.length : free;
    ends[row] = offset + bytes;
    return row;
  });
}

/** The tensors that lie, in part at least, over the same bytes. */
export function sharing(tensor: SharedTensor, all: readonly SharedTensor[]): readonly SharedTensor[] {
  const end = tensor.offset + tensor.bytes;
  return all.filter((one) => one !== tensor && one.offset < end && tensor.offset < one.offset + one.bytes);
}

/** Bytes of the block that no tensor has: barriers and gaps. */
export function unused({ bytes, tensors }: SharedKernel): number {
  let covered = 0;
  let reached = 0;
  for (const { offset, bytes: length } of [...tensors].sort((a, b) => a.offset - b.offset)) {
    covered += Math.max(0, offset + length - Math.max(offset, reached));
    reached = Math.max(reached, offset + length);
  }
  return bytes - covered;
}

/** Whole KiB where it is one, else one decimal; small numbers in bytes. */
export function size(bytes: number): string {
  if (bytes < 1024) {
    return `${bytes} B`;
  }
  return `${(bytes / 1024).toFixed(bytes % 1024 === 0 ? 0 : 1)} KiB`;
}

/** At most eight marks, a power of two apart. */
export function marks(bytes: number): readonly number[] {
  let step = 64;
  while (bytes / step > 8) {
    step *= 2;
  }
  // The last one needs room for its words.
  return Array.from({ length: Math.floor((0.93 * bytes) / step) + 1 }, (_, i) => i * step);
}

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`;
const place = (part: number, whole: number): string => `${((100 * part) / Math.max(whole, 1)).toFixed(4)}%`;
const shapeOf = ({ element, shape }: SharedTensor): string => `${element} [${shape.join(", ")}]`;
const goTo = ({ range }: { readonly range: Finding["range"] }): string => say(range.start satisfies Reveal);

/** The `id` of a tensor on the map, and of its row in the table. */
const idsOf = (kernel: number, tensor: number): readonly [string, string] => [`m${kernel}-${tensor}`, `r${kernel}-${tensor}`];

/** The `id`s of what is declared on a line of the source. */
export function declaredOn(layout: SharedMemory, line: number): readonly string[] {
  return layout.kernels.flatMap(({ tensors }, k) =>
    tensors.flatMap(({ range }, t) => (range.start.line <= line && line <= range.end.line ? idsOf(k, t) : [])),
  );
}

/** The new answer, with the kernels of the one before where errors are in the way of all of them. */
export function latest(answer: SharedMemory, before: SharedMemory | undefined): SharedMemory {
  const none = answer.kernels.length === 0 && answer.diagnostics.length > 0;
  return none && before !== undefined ? { ...before, diagnostics: answer.diagnostics } : answer;
}

const HUES = ["blue", "green", "orange", "purple", "yellow", "red"] as const;
const ROW = 52;

const STYLE = `
header { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: baseline; }
.kernel { max-width: 1100px; }
.whole { height: 8px; border-radius: 4px; overflow: hidden; margin-bottom: 6px; background: var(--vscode-editorWidget-background);
  border: 1px solid var(--vscode-panel-border, #8885); }
.whole div { height: 100%; background: var(--vscode-charts-blue, #4f8fdf); }
.map { position: relative; margin-top: 12px; border: 1px solid var(--vscode-panel-border, #8885); border-radius: 4px;
  background: repeating-linear-gradient(135deg, transparent 0 6px, color-mix(in srgb, currentColor 7%, transparent) 6px 7px); }
.tensor { position: absolute; height: ${ROW - 8}px; margin-top: 4px; padding: 0; display: flex; overflow: hidden; text-align: left;
  border: 1px solid var(--hue); border-radius: 3px; min-width: 3px;
  background: color-mix(in srgb, var(--hue) 24%, var(--vscode-editor-background)); }
.tensor:hover, .tensor.lit { background: color-mix(in srgb, var(--hue) 46%, var(--vscode-editor-background)); }
.tensor.lit { box-shadow: 0 0 0 2px var(--vscode-focusBorder); }
.tensor:focus-visible { z-index: 1; }
.slot { flex: 1 1 0; min-width: 0; border-left: 1px dashed var(--hue); }
.slot:first-child { border-left: 0; }
.name { position: absolute; inset: 4px 6px auto; font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.more { position: absolute; inset: auto 6px 3px; font-size: 0.85em; opacity: 0.85; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.scale { position: relative; height: 22px; font-size: 0.85em; color: var(--vscode-descriptionForeground); font-variant-numeric: tabular-nums; }
.scale span { position: absolute; border-left: 1px solid var(--vscode-panel-border, #8885); padding: 5px 0 0 4px; white-space: nowrap; line-height: 1; }
.table { overflow-x: auto; margin-top: 14px; }
.table th, .table td { white-space: nowrap; }
tr.lit td { background: color-mix(in srgb, var(--vscode-focusBorder) 16%, transparent); }
.dot { display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 7px; background: var(--hue); }
.wrong { border-left: 3px solid var(--vscode-editorWarning-foreground); padding: 6px 12px; margin: 14px 0; }
.wrong p { margin: 0; }
`;

/** Positions come by rules of the style sheet: the policy allows no `style` attributes. */
function rules(layout: SharedMemory): string {
  const found = HUES.map((hue, i) => `.h${i} { --hue: var(--vscode-charts-${hue}, ${hue}); }`);
  layout.kernels.forEach(({ bytes, limit, tensors }, k) => {
    const rows = rowsOf(tensors);
    found.push(`#use${k} { width: ${place(bytes, limit)}; }`, `#map${k} { height: ${ROW * (Math.max(0, ...rows) + 1)}px; }`);
    tensors.forEach((one, t) => {
      const [id] = idsOf(k, t);
      const top = ROW * (rows[t] ?? 0);
      found.push(`#${id} { left: ${place(one.offset, bytes)}; width: ${place(one.bytes, bytes)}; top: ${top}px; }`);
    });
    marks(bytes).forEach((mark, i) => found.push(`#s${k}-${i} { left: ${place(mark, bytes)}; }`));
  });
  return found.join("\n");
}

function described(tensor: SharedTensor): string {
  const slots = tensor.slots > 1 ? `${tensor.slots} slots of ${size(tensor.stride)}` : "one slot";
  const swizzle = tensor.swizzle > 0 ? `, swizzle ${tensor.swizzle}` : "";
  return `${tensor.name}: ${shapeOf(tensor)}, ${slots}, offset ${tensor.offset}, ${size(tensor.bytes)}${swizzle}`;
}

function onMap(tensor: SharedTensor, k: number, t: number): string {
  const [id] = idsOf(k, t);
  const slots = '<span class="slot"></span>'.repeat(Math.min(tensor.slots, 64));
  const more = tensor.slots > 1 ? `${tensor.slots} × ${size(tensor.stride)}` : size(tensor.bytes);
  const label = text(described(tensor));
  return `<button id="${id}" class="tensor h${t % HUES.length}" ${goTo(tensor)} title="${label}" aria-label="${label}">${slots}<span class="name">${text(tensor.name)}</span><span class="more">${more}</span></button>`;
}

const COLUMNS = ["Tensor", "Elements of a slot", "Offset", "Bytes", "Of the limit", "Slots", "Stride", "Swizzle", "Aligned to", "Shares bytes with"];
const NUMBERS = new Set(COLUMNS.slice(2, -1));

function inTable(kernel: SharedKernel, tensor: SharedTensor, k: number, t: number): string {
  const others = sharing(tensor, kernel.tensors).map((one) => one.name);
  const stride = tensor.slots > 1 ? tensor.stride : "–";
  const share = percent(tensor.bytes, kernel.limit);
  const numbers = [tensor.offset, tensor.bytes, share, tensor.slots, stride, tensor.swizzle || "none", tensor.alignment];
  const cells = numbers.map((one) => `<td class="number">${one}</td>`).join("");
  const name = `<span class="dot h${t % HUES.length}"></span><button class="link mono" ${goTo(tensor)}>${text(tensor.name)}</button>`;
  const [, id] = idsOf(k, t);
  return `<tr id="${id}"><td>${name}</td><td class="mono">${text(shapeOf(tensor))}</td>${cells}<td class="mono">${text(others.join(", ") || "–")}</td></tr>`;
}

function kernelOf(kernel: SharedKernel, k: number): string {
  const { bytes, limit, tensors } = kernel;
  const title = kernel.kernel === kernel.function ? text(kernel.kernel) : `${text(kernel.kernel)} <span class="soft">of ${text(kernel.function)}</span>`;
  const use = `${size(bytes)} of ${size(limit)}, ${percent(bytes, limit)} of what a block may take`;
  if (tensors.length === 0) {
    return `<section class="kernel"><h2>${title}</h2><p>${bytes === 0 ? "It uses no shared memory" : `No tensors; barriers take ${size(bytes)}`}.</p></section>`;
  }
  const rest = unused(kernel);
  const over = tensors.some((one) => sharing(one, tensors).length > 0);
  const facts = [
    use,
    ...(rest > 0 ? [`barriers and gaps ${size(rest)}`] : []),
    ...(over ? ["tensors in several rows share bytes: they are never in use together"] : []),
  ];
  const scale = marks(bytes).map((mark, i) => `<span id="s${k}-${i}">${mark === 0 ? "0" : size(mark)}</span>`);
  const heads = COLUMNS.map((one) => `<th scope="col"${NUMBERS.has(one) ? ' class="number"' : ""}>${one}</th>`);
  return `<section class="kernel">
<h2>${title}</h2>
<div class="whole" role="img" aria-label="${use}"><div id="use${k}"></div></div>
<p class="soft">${facts.join(" · ")}</p>
<div class="map" id="map${k}" data-keys role="group" aria-label="Map of ${text(kernel.kernel)}, offsets from left to right; the table below says the same">${tensors.map((one, t) => onMap(one, k, t)).join("")}</div>
<div class="scale" aria-hidden="true">${scale.join("")}</div>
<div class="table"><table><caption class="hidden">Shared memory of ${text(kernel.kernel)}</caption>
<thead><tr>${heads.join("")}</tr></thead>
<tbody>${tensors.map((one, t) => inTable(kernel, one, k, t)).join("\n")}</tbody></table></div>
</section>`;
}

function wrong(findings: readonly Finding[]): string {
  const rows = findings.map((one) => `<p><button class="link" ${goTo(one)}>line ${one.range.start.line + 1}</button>: ${text(one.message)}</p>`);
  return rows.length === 0 ? "" : `<div class="wrong" role="status">${rows.join("")}</div>`;
}

/** What a page was about, in what it kept over a reload; undefined for what was not kept here. */
export function aboutIn(state: unknown): About | undefined {
  const about = fieldsOf(state)["about"];
  const { textDocument, entry } = fieldsOf(about);
  const { uri } = fieldsOf(textDocument);
  return typeof uri === "string" ? aboutThe(uri, entry, about) : undefined;
}

/** The page of a file. `said` tells why there is none of its present text. */
export function sharedMemoryPage(file: string, layout: SharedMemory | undefined, about: About, said?: string): Page {
  const reason = said === undefined ? "" : `<div class="wrong" role="status"><p>${text(said)}</p></div>`;
  const arch = layout === undefined ? "" : ` · ${text(layout.arch)}`;
  const none = layout?.kernels.length === 0 && layout.diagnostics.length === 0 ? "<p>There is no kernel here.</p>" : "";
  return {
    title: `Shared memory of ${file}`,
    style: STYLE + (layout === undefined ? "" : rules(layout)),
    script: `state.about = ${JSON.stringify(about).replaceAll("<", "\\u003c")}; editor.setState(state);`,
    body: `<header><h1>Shared memory</h1><span class="soft">${text(file)}${arch}</span></header>
${reason}${wrong(layout?.diagnostics ?? [])}${none}${(layout?.kernels ?? []).map(kernelOf).join("\n")}`,
  };
}
