import assert from "node:assert/strict";
import { test } from "node:test";

import { notProfiled } from "../src/profileWords.js";

const KERNEL = { kernel: "f", verdict: "both sides stand", blocks: [] };
const ONE = { function: "f", card: "", sizes: {}, kernels: [KERNEL], message: "", offer: null };

test("what was not profiled is named with its reason", () => {
  assert.equal(notProfiled([ONE]), undefined);
  const kept = { ...ONE, function: "g", kernels: [], message: "its credit flow has an error", offer: "force" as const };
  assert.equal(notProfiled([ONE, kept]), "g was not profiled: its credit flow has an error");
});
