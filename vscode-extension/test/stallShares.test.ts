import assert from "node:assert/strict";
import { test } from "node:test";

import type { PlaceTime, ProfileEntry } from "../src/profileTypes.js";
import { sharesOf } from "../src/views/stalls/shares.js";

function place(line: number, share: number, more: Partial<PlaceTime> = {}): PlaceTime {
  const range = { start: { line, character: 10 }, end: { line, character: 22 } };
  return { path: "path p1 == 0", isWait: true, range, count: 8, total: 3465, median: 260, longest: 1055, share, ...more };
}

function profile(...blocks: readonly (readonly PlaceTime[])[]): ProfileEntry {
  const kernels = [{ kernel: "matmul", verdict: "both sides stand", blocks: blocks.map((places, i) => ({ block: 63 * i, places })) }];
  return { function: "matmul", card: "H200", sizes: { M: 512, K: 256 }, kernels, message: "", offer: null };
}

test("beside a wait stands the share of its path's time", () => {
  const [first, second, ...rest] = sharesOf([profile([place(39, 0.51), place(23, 0.676)])]);
  assert.deepEqual([first?.range.start.line, first?.text], [23, "stalls 68 %"]);
  assert.deepEqual([second?.range.start.line, second?.text], [39, "stalls 51 %"]);
  assert.deepEqual(rest, []);
});

test("blocks and paths of one statement are told as a range, each has its row", () => {
  const [only] = sharesOf([profile([place(23, 0.5), place(23, 0.58, { path: "path w == 1 || w == 2" })], [place(23, 0.61)])]);
  assert.equal(only?.text, "stalls 50–61 %");
  assert.deepEqual(only?.detail.trimEnd().split("\n"), [
    "Measured: matmul M = 512, K = 256 on H200. Until the next edit.",
    "",
    "| path | block | visits | µs in all | of its time | median ns | longest ns |",
    "| :-- | --: | --: | --: | --: | --: | --: |",
    "| `path p1 == 0` | 0 | 8 | 3.46 | 50 % | 260 | 1055 |",
    "| `path w == 1 \\|\\| w == 2` | 0 | 8 | 3.46 | 58 % | 260 | 1055 |",
    "| `path p1 == 0` | 63 | 8 | 3.46 | 61 % | 260 | 1055 |",
  ]);
});

test("only waits have words; what was not profiled has none", () => {
  assert.deepEqual(sharesOf([profile([place(3, 0.9, { isWait: false })])]), []);
  assert.deepEqual(sharesOf([{ ...profile(), kernels: [], message: "it has errors" }]), []);
});
