/** Shapes of `croq profile --json` (docs/protocol.md), as far as they are used here. Must not format. */
import type { FlowData } from "./flowTypes.js";
import type { About, Range } from "./lsp.js";
import type { End, Sizes } from "./runTypes.js";

/** A place of a path in one block; times in nanoseconds, `share` of the path's time. */
export interface PlaceTime {
  readonly path: string;
  readonly isWait: boolean;
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
  readonly sizes: Sizes;
  readonly kernels: readonly KernelTime[];
  readonly message: string;
  /** Where the verdict on its credit flow alone keeps it from the card. */
  readonly offer: "force" | null;
}

/** What `croqtile/run` is asked for to get one. */
export interface ProfileRequest extends About {
  readonly task: "profile";
  readonly force?: boolean;
}

/** `flow` of the result is what the credit-flow page shows. */
export interface ProfileEnd extends End {
  readonly task: "profile";
  readonly offer: "doctor" | "force" | null;
  readonly result: { readonly profiles: readonly ProfileEntry[]; readonly flow: FlowData } | null;
}
