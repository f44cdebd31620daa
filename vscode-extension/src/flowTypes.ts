/** Shapes of the credit flow (docs/protocol.md), as far as they are used here. Must not format. */
import type { Range } from "./lsp.js";

/** As `croq flow --json`; the page reads what is in it. */
export interface FlowData {
  readonly flows: readonly unknown[];
}

/** The state at a place; the page reads what is in it. */
export interface FlowAt {
  readonly function: string;
  readonly overload: number;
  readonly range: Range | null;
  readonly visits: readonly unknown[];
}
