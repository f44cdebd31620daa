/** What the panel and its page say to each other (the page's own words: `host.js` of the server). Must not import `vscode`. */
import type { FlowAt, FlowData } from "../../flowTypes.js";
import { fieldsOf, isRange, type Range, type Which } from "../../lsp.js";

/**
 * To the page. `open`: the function to open anew, null for the one that matters most; without it the place is kept.
 * `overload`: which of those of that name.
 */
export type ToPage =
  | { readonly type: "flow"; readonly result: FlowData; readonly open?: string | null; readonly overload?: number }
  | ({ readonly type: "open" } & Which)
  | { readonly type: "at"; readonly told: FlowAt }
  | { readonly type: "note"; readonly text: string; readonly stale: boolean }
  | { readonly type: "document"; readonly uri: string };

/** From the page. `step` with null: it stands before the first step. */
export type FromPage =
  | { readonly type: "ready" }
  | { readonly type: "reveal"; readonly range: Range }
  | { readonly type: "step"; readonly range: Range | null };

/** What the page said, or undefined for what it never says. */
export function heard(message: unknown): FromPage | undefined {
  const { type, range } = fieldsOf(message);
  switch (type) {
    case "ready":
      return { type };
    case "reveal":
      return isRange(range) ? { type, range } : undefined;
    case "step":
      return range === null || isRange(range) ? { type, range } : undefined;
    default:
      return undefined;
  }
}

/** The document of a panel that is restored, from the state that its page left; undefined for anything else. */
export function documentOf(state: unknown): string | undefined {
  const { uri } = fieldsOf(state);
  return typeof uri === "string" && uri !== "" ? uri : undefined;
}
