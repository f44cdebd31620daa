import assert from "node:assert/strict";
import { test } from "node:test";

import type { RunRequest, Verified } from "../src/runTypes.js";
import { isKept, keptOf } from "../src/views/runPanel/kept.js";
import { printed } from "../src/views/runPanel/section.js";
import { entry, onCard, result } from "./someRuns.js";

const REQUEST: RunRequest = { task: "run", textDocument: { uri: "file:///home/ada/k.co" } };
const LOUD = entry({ prints: ["x".repeat(3_000_000), "y"] });

test("of what a kernel printed only the part that is shown is kept, and is shown as before", () => {
  const kept = keptOf({ request: REQUEST, result: result([LOUD, entry()]) }, []);
  assert.ok(JSON.stringify(kept).length < 30_000);
  assert.ok(kept.ended.result.result !== null && "runs" in kept.ended.result.result);
  const [loud, still] = kept.ended.result.result.runs;
  assert.ok(loud !== undefined);
  assert.equal(printed(loud), printed(LOUD));
  assert.equal(printed(loud).slice(19_960), "\n… 2,980,041 more characters");
  assert.deepEqual(still?.prints, []);
});

test("so are those of a verification", () => {
  const verified: Verified = {
    sim: LOUD,
    gpu: onCard(64, 1, { prints: LOUD.prints }),
    static: { verdict: "proved", text: "" },
    ok: true,
    agree: true,
    said: "",
  };
  const kept = keptOf({ request: REQUEST, result: result([], { result: { verified: [verified, { ...verified, gpu: null }] } }) }, []);
  assert.ok(JSON.stringify(kept).length < 70_000);
});

test("a state is kept from here, or is none", () => {
  assert.ok(isKept(keptOf({ request: REQUEST, result: result([]) }, [])));
  for (const state of [undefined, null, {}, { ended: {}, history: [] }, { ended: { request: 1, result: 2 }, history: [] }, { ended: { request: REQUEST, result: null }, history: [] }]) {
    assert.equal(isKept(state), false);
  }
});
