/** Runs for tests. */
import type { Ceiling, Expectation, Past, RunEntry, RunResult, Timing } from "../src/runTypes.js";

export const CEILING: Ceiling = { gbps: 4000, tflops: 800, measured: "2026-11-28" };

/** Two operations a multiply-add of an s³ multiply of f16, at `tflops`. */
export function timing(s: number, tflops: number, more: Partial<Timing> = {}): Timing {
  const operations = 2 * s ** 3;
  const bytes = 3 * s * s * 2;
  const median = operations / tflops / 1e12;
  return { card: "H200", rounds: 20, median, best: median / 2, operations, bytes, tflops, gbps: bytes / median / 1e9, ceiling: CEILING, ...more };
}

export const HOLDS: Expectation = {
  text: "y ~= x",
  ok: true,
  rtol: 0.5,
  atol: 0.25,
  worst: { index: [1, 2], got: 1, want: 1.5 },
  differing: 0,
  total: 1,
  norms: { maxAbs: 0.5, relL2: 0.125 },
  within: null,
};

export const FAILS: Expectation = {
  ...HOLDS,
  text: "y ~= <x & \"z\">",
  ok: false,
  worst: { index: [1, 2], got: 4.25, want: 1.5 },
  differing: 1200,
  total: 4096,
  norms: { maxAbs: 2.75, relL2: 0.125 },
  within: [
    [64, 128],
    [0, 32],
  ],
};

export function entry(more: Partial<RunEntry> = {}): RunEntry {
  return {
    path: "/home/ada/k.co",
    function: "f",
    name: "",
    verdict: "verified",
    engine: "sim",
    arch: "sm_90a",
    sizes: { M: 64, alpha: 0.5 },
    seed: 7,
    schedule: 0,
    expectations: [HOLDS],
    hang: [],
    time: 0.0812,
    compileTime: 0,
    overload: 0,
    timing: null,
    message: "",
    range: null,
    prints: [],
    notes: [],
    offer: null,
    ...more,
  };
}

export function onCard(s: number, tflops: number, more: Partial<RunEntry> = {}): RunEntry {
  return entry({ engine: "gpu", sizes: { M: s, N: s, K: s }, timing: timing(s, tflops), ...more });
}

export const STANDS = { start: { line: 23, character: 10 }, end: { line: 23, character: 28 } };

export const HUNG = entry({
  verdict: "hangs",
  expectations: [],
  hang: [
    { range: STANDS, text: "path w == 0 waits for empty[1], generation 3; owed by path w == 1" },
    { range: STANDS, text: "path w == 1 waits for the others, generation 0" },
  ],
});

export function result(runs: readonly RunEntry[], more: Partial<RunResult> = {}): RunResult {
  return {
    id: 5,
    uri: "file:///home/ada/k.co",
    documentVersion: 1,
    task: "run",
    state: "done",
    message: "",
    offer: null,
    result: { runs },
    ...more,
  };
}

export function past(run: RunEntry, id = 0, at = "2026-11-28T10:00:00+00:00"): Past {
  return { id, at, run };
}
