import assert from "node:assert/strict";
import { test } from "node:test";

import { allowed, count, difference, duration, figure, judgement, rate, refusedText, share, stuck, tolerance, worstOf } from "../src/runWords.js";
import { entry, FAILS, HOLDS, HUNG, result } from "./someRuns.js";

test("figures have six digits at most and no zeros behind", () => {
  const said = [0.5, 2, 1 / 3, 1e-7, 123456.789, 1e21, "nan", "-inf", true].map((value) => figure(value));
  assert.deepEqual(said, ["0.5", "2", "0.333333", "1e-7", "123457", "1e+21", "nan", "-inf", "true"]);
  assert.equal(figure(0.741921705193, 9), "0.741921705");
});

test("counts are in groups of three", () => {
  assert.deepEqual([0, 999, 1000, 262144, 1234567].map(count), ["0", "999", "1,000", "262,144", "1,234,567"]);
});

test("durations have three digits", () => {
  const said = [0, 4.56e-6, 999.6e-6, 0.25, 0.9996, 12.34, 999.6].map(duration);
  assert.deepEqual(said, ["0 µs", "4.56 µs", "1 ms", "250 ms", "1 s", "12.3 s", "1000 s"]);
});

test("rates and shares", () => {
  assert.deepEqual([622.4, 99.96, 3.456].map(rate), ["622", "100", "3.46"]);
  assert.deepEqual([share(400, 800), share(1, 800), share(1, 0), share(9, 8)], ["50 %", "< 1 %", undefined, "113 %"]);
});

test("a hang says after how long, and in the server's words where", () => {
  assert.equal(stuck(HUNG), "Stopped after 81.2 ms: path w == 0 waits for empty[1], generation 3; owed by path w == 1");
  const card = { ...HUNG, engine: "gpu" as const, message: "stopped after 4 s" };
  assert.match(stuck(card), /^Stopped after 4 s: path w == 0 waits for empty\[1\]/);
  assert.equal(stuck({ ...card, hang: [] }), "Stopped after 4 s");
});

test("what was compared, and by which rule", () => {
  assert.equal(judgement(HOLDS), "1 element, largest error 0.5");
  assert.equal(judgement({ ...HOLDS, rtol: 0, atol: 0, total: 2000 }), "2,000 elements, all equal");
  assert.equal(
    judgement(FAILS),
    "1,200 of 4,096 elements differ, all in [64:128, 0:32], largest error 2.75, relative 2-norm of the error 0.125",
  );
  const everywhere = { ...FAILS, within: [[0, 64], [0, 64]] };
  for (const one of [everywhere, { ...FAILS, differing: 1 }, { ...FAILS, within: null }]) {
    assert.doesNotMatch(judgement(one), /all in/);
  }
  const untouched = { index: [0], got: "nan", want: "nan" };
  assert.equal(judgement({ ...FAILS, worst: untouched }), "1,200 of 4,096 elements still hold what they started with");
  assert.equal(tolerance(HOLDS), "|got − expected| ≤ 0.25 + 0.5 · |expected|");
  assert.equal(tolerance({ ...HOLDS, rtol: 0, atol: 0 }), "elements must be equal");
});

test("of a wrong element, how far it is off and how far it might be", () => {
  assert.equal(difference(4.25, 1.5), "2.75");
  assert.equal(allowed(FAILS, 1.5), "1");
  assert.equal(difference("nan", 1.5), "");
  assert.equal(allowed({ ...FAILS, atol: "inf" }, 1.5), "");
});

test("of several runs the first of the worst verdict is told", () => {
  const runs = (["verified", "wrong", "consistent", "wrong", "crashed"] as const).map((verdict, seed) => entry({ verdict, seed }));
  assert.equal(worstOf(runs)?.seed, 1);
  assert.equal(worstOf([HUNG, ...runs]), HUNG);
  assert.equal(worstOf([]), undefined);
});

test("what was not run is told: a run that was refused, a kernel that was kept from the card", () => {
  assert.equal(refusedText(result([], { state: "refused", message: "there is no driver", offer: "sim", result: null })), "there is no driver");
  const kept = entry({ function: "g", verdict: "not-run", engine: "gpu", message: "its credit flow has an error", offer: "force" });
  assert.equal(refusedText(result([entry(), kept], { offer: "force" })), "g was not run on the card: its credit flow has an error");
  assert.equal(refusedText(result([entry({ verdict: "not-run", message: "it has errors" })])), undefined);
});
