/** Shapes of `croq profile --json` (docs/protocol.md), as far as they are used here. Must not format. */
import type { FlowData, Range } from "./requests.js";

/** A place of a path in one block; times in nanoseconds, `share` of the path's time. */
export interface PlaceTime {
  readonly path: string;
  readonly op: string;
  readonly event: string;
  readonly range: Range;
  readonly count: number;
  readonly total: number;
  readonly median: number;
  readonly longest: number;
  readonly share: number;
}

export interface BlockTime {
  readonly block: number;
  readonly places: readonly PlaceTime[];
}

export interface KernelTime {
  readonly kernel: string;
  readonly verdict: string;
  readonly blocks: readonly BlockTime[];
}

/** A function that was profiled; without `kernels` one that was not, and `message` says why. */
export interface ProfileEntry {
  readonly function: string;
  readonly card: string;
  readonly sizes: Readonly<Record<string, number | string | boolean>>;
  readonly kernels: readonly KernelTime[];
  readonly message: string;
}

/** The result of the task `profile`: `flow` is what the credit-flow page shows. */
export interface ProfileResult {
  readonly profiles: readonly ProfileEntry[];
  readonly flow: FlowData;
}
