/** Shapes of `croq run --json`, `croq verify --json` and of what the server tells of runs (docs/protocol.md). Must not format. */
import type { About, Range } from "./lsp.js";

/** Numbers that JSON lacks are the texts "nan", "inf" and "-inf". */
export type Figure = number | string | boolean;
export type Sizes = Readonly<Record<string, Figure>>;

export type Verdict = "verified" | "consistent" | "wrong" | "hangs" | "crashed" | "not-run";

export interface Expectation {
  readonly text: string;
  readonly ok: boolean;
  readonly rtol: number | string;
  readonly atol: number | string;
  readonly worst: { readonly index: readonly number[]; readonly got: Figure; readonly want: Figure } | null;
  readonly differing: number;
  readonly total: number;
  readonly norms: { readonly maxAbs: number | string; readonly relL2: number | string };
  /** For each axis a start and an end, the end not included. */
  readonly within: readonly (readonly number[])[] | null;
}

/** `text` says what it waits for, and who owes it. */
export interface HungPath {
  readonly range: Range;
  readonly text: string;
}

/** What a card was measured to reach on the day `measured`: GB/s of its copy, and TFLOP/s of cuBLAS for f16, 0 without. */
export interface Ceiling {
  readonly gbps: number;
  readonly tflops: number;
  readonly measured: string;
}

/** Seconds; `operations` is 0 where nothing is multiplied or the number is not known. */
export interface Timing {
  readonly card: string;
  readonly rounds: number;
  readonly median: number;
  readonly best: number;
  readonly operations: number;
  readonly bytes: number;
  readonly tflops: number;
  readonly gbps: number;
  readonly ceiling: Ceiling | null;
}

/** What is kept of a run in its history. */
export interface KeptRun {
  readonly function: string;
  readonly overload: number;
  readonly name: string;
  readonly verdict: Verdict;
  readonly engine: "sim" | "gpu";
  readonly arch: string;
  readonly sizes: Sizes;
  readonly seed: number;
  readonly schedule: number;
  readonly time: number;
  readonly compileTime: number;
  readonly timing: Timing | null;
}

export interface RunEntry extends KeptRun {
  readonly path: string;
  readonly expectations: readonly Expectation[];
  readonly hang: readonly HungPath[];
  readonly message: string;
  readonly range: Range | null;
  readonly prints: readonly string[];
  readonly notes: readonly string[];
  readonly offer: "force" | null;
}

export interface Verified {
  readonly sim: RunEntry;
  readonly gpu: RunEntry | null;
  readonly static: { readonly verdict: "proved" | "checked" | "fails" | "unknown" | "none"; readonly text: string };
  readonly ok: boolean;
  readonly agree: boolean;
  readonly said: string;
}

export type Task = "run" | "verify";
export type Engine = "sim" | "gpu";

/** What `croqtile/run` is asked for. */
export interface RunRequest extends About {
  readonly task: Task;
  readonly engine?: Engine;
  readonly runLine?: number;
  /** Also on a card what the verdict on its credit flow keeps from it. */
  readonly force?: boolean;
}

/** What is told of the end of whatever `croqtile/run` was asked for; `message` says why there is no result. */
export interface End {
  readonly id: number;
  readonly uri: string;
  readonly documentVersion: number;
  readonly state: "done" | "refused" | "failed" | "cancelled";
  readonly message: string;
}

/** The way on: another engine, the doctor, or a run in spite of the verdict. */
export type Offer = "sim" | "doctor" | "force";

export interface RunResult extends End {
  readonly task: Task;
  readonly offer: Offer | null;
  readonly result: { readonly runs: readonly RunEntry[] } | { readonly verified: readonly Verified[] } | null;
}

export interface Progress {
  readonly id: number;
  readonly uri: string;
  readonly message: string;
  readonly done: number;
  readonly total: number;
}

/** A run of the history; `id` is 0 for one of an earlier server, `at` its end (UTC). */
export interface Past {
  readonly id: number;
  readonly at: string;
  readonly run: KeptRun;
}

export interface KernelTest {
  readonly function: string;
  readonly overload: number;
  readonly runLine: number | null;
  readonly label: string;
  readonly range: Range;
  readonly sizes: Sizes;
  readonly expects: readonly string[];
}

export interface TestFile {
  readonly uri: string;
  readonly tests: readonly KernelTest[];
}

/** The single runs in a result, in order. */
export function entriesOf(result: RunResult): readonly RunEntry[] {
  if (result.result === null) {
    return [];
  }
  if ("runs" in result.result) {
    return result.result.runs;
  }
  return result.result.verified.flatMap((one) => (one.gpu === null ? [one.sim] : [one.sim, one.gpu]));
}

export function verifiedOf(result: RunResult): readonly Verified[] {
  return result.result !== null && "verified" in result.result ? result.result.verified : [];
}

export function isGood(verdict: Verdict): boolean {
  return verdict === "verified" || verdict === "consistent";
}
