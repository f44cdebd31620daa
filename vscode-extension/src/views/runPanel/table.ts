/** Lines, cells and tables, as data. Must not import `vscode`. */
import type { Position } from "../../lsp.js";
import { isGood, type Verdict } from "../../runTypes.js";

export type Tone = "good" | "bad" | "none";

/** A cell of a table. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
  readonly code?: boolean;
}

/** `numbers` are the columns that are set to the right. */
export interface Table {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly numbers: readonly number[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A line of text; `place` is where it leads to in the source. */
export interface Line {
  readonly text: string;
  readonly tone?: Tone;
  readonly place?: Position;
}

export function toneOf(run: { readonly verdict: Verdict }): Tone {
  return isGood(run.verdict) ? "good" : run.verdict === "not-run" ? "none" : "bad";
}

/** Columns that no row fills are left out; of each its name, whether it holds numbers, and its cell of a row. */
export function filled<R>(caption: string, columns: readonly [string, boolean, (row: R) => Cell][], of: readonly R[]): Table {
  const used = columns.map(([name, isNumber, make]) => ({ name, isNumber, cells: of.map(make) })).filter(({ cells }) => cells.some((cell) => cell.text !== ""));
  return {
    caption,
    columns: used.map(({ name }) => name),
    numbers: used.flatMap(({ isNumber }, at) => (isNumber ? [at] : [])),
    rows: of.map((_, row) => used.map(({ cells }) => cells[row] ?? { text: "" })),
  };
}
