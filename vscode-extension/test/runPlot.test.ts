import assert from "node:assert/strict";
import { test } from "node:test";

import { lastGood, ratioText } from "../src/views/runPanel/compare.js";
import { plotOf } from "../src/views/runPanel/plot.js";
import { entry, onCard, past, timing } from "./someRuns.js";

const SIZES = [512, 1024, 2048, 4096];
const RUNS = SIZES.map((s, at) => onCard(s, 100 * (at + 1)));

test("the size that varies is the axis, else the common one, else the work", () => {
  assert.equal(plotOf("f", RUNS, 5, [])?.xLabel, "M = N = K");
  const oneVaries = RUNS.map((run, at) => ({ ...run, sizes: { M: 64, K: SIZES[at] ?? 0 } }));
  assert.equal(plotOf("f", oneVaries, 5, [])?.xLabel, "K");
  const all = RUNS.map((run, at) => ({ ...run, sizes: { M: 64 * (at + 1), K: SIZES[at] ?? 0 } }));
  assert.equal(plotOf("f", all, 5, [])?.xLabel, "operations of the multiplies");
});

test("points stand where their numbers say", () => {
  const plot = plotOf("f", RUNS, 5, []);
  assert.ok(plot !== undefined);
  const { left, right, top, bottom } = plot.frame;
  const marks = plot.series.find(({ kind }) => kind === "now")?.marks ?? [];
  // sizes double: on an axis over a factor of 8 they are equally far apart
  const step = (right - 24 - (left + 24)) / 3;
  assert.deepEqual(marks.map(({ x }) => Math.round(x)), [0, 1, 2, 3].map((at) => Math.round(left + 24 + at * step)));
  // the axis ends at the first whole step beyond cuBLAS's 800
  const height = bottom - top;
  assert.deepEqual(plot.yTicks.map(({ label }) => label), ["0", "200", "400", "600", "800", "1,000"]);
  assert.deepEqual(marks.map(({ y }) => Math.round(bottom - y)), [100, 200, 300, 400].map((rate) => Math.round((rate / 1000) * height)));
  assert.deepEqual(plot.xTicks.map(({ label }) => label), ["512", "1,024", "2,048", "4,096"]);
  const [from, to] = plot.series.find(({ kind }) => kind === "cublas")?.marks ?? [];
  assert.deepEqual([from?.x, to?.x, from?.y, to?.y], [left, right, bottom - 0.8 * height, bottom - 0.8 * height]);
});

test("the limit of memory is the card's copy times the work of each byte, and ends at the top", () => {
  // at 512: 4000 GB/s * 512 / 3 operations a byte = 683 TFLOP/s; at 1024 twice that, which is beyond the picture
  const plot = plotOf("f", RUNS, 5, []);
  const marks = plot?.series.find(({ kind }) => kind === "memory")?.marks ?? [];
  assert.equal(marks.length, 2);
  assert.equal(marks[0]?.label, "683 TFLOP/s");
  assert.equal(marks[1]?.y, plot?.frame.top);
});

test("of runs before, the newest good one of each size is drawn, on the same card alone", () => {
  const before = [
    past(onCard(512, 50)),
    past(onCard(512, 60)),
    past(onCard(512, 70, { verdict: "wrong" })),
    past(onCard(1024, 80, { timing: timing(1024, 80, { card: "other" }) })),
    past(onCard(2048, 90), 5), // this run's own
    past(onCard(2048, 90, { function: "g" })),
    past(entry()),
  ];
  const marks = plotOf("f", RUNS, 5, before)?.series.find(({ kind }) => kind === "before")?.marks ?? [];
  assert.deepEqual(marks.map(({ label }) => label), ["M=512 N=512 K=512: 60 TFLOP/s"]);
});

test("one point alone, or none with a rate, makes no plot", () => {
  assert.equal(plotOf("f", RUNS.slice(0, 1), 5, []), undefined);
  assert.notEqual(plotOf("f", RUNS.slice(0, 1), 5, [past(onCard(512, 50))]), undefined);
  assert.equal(plotOf("f", [entry(), entry()], 5, []), undefined);
  assert.equal(plotOf("f", RUNS.map((run) => ({ ...run, timing: timing(64, 1, { operations: 0 }) })), 5, []), undefined);
});

test("without a ceiling nothing is drawn for it", () => {
  const plain = RUNS.map((run, at) => ({ ...run, timing: timing(SIZES[at] ?? 0, 100, { ceiling: null }) }));
  assert.deepEqual(plotOf("f", plain, 5, [])?.series.map(({ kind }) => kind), ["now"]);
  const noBlas = RUNS.map((run, at) => ({ ...run, timing: timing(SIZES[at] ?? 0, 100, { ceiling: { gbps: 1, tflops: 0, measured: "" } }) }));
  assert.deepEqual(plotOf("f", noBlas, 5, [])?.series.map(({ kind }) => kind), ["memory", "now"]);
});

test("rates that lie far apart stand on an axis of decades", () => {
  const plot = plotOf("f", [onCard(512, 0.5), onCard(1024, 2)], 5, []);
  assert.deepEqual(plot?.yTicks.map(({ label }) => label), ["0.1", "1", "10", "100", "1,000"]);
  const marks = plot?.series.find(({ kind }) => kind === "now")?.marks ?? [];
  assert.ok(marks.every(({ y }) => y > (plot?.frame.top ?? 0) && y < (plot?.frame.bottom ?? 0)));
});

test("equal sizes stand in the middle", () => {
  const plot = plotOf("f", [onCard(512, 100)], 5, [past(onCard(512, 200))]);
  const places = plot?.series.filter(({ kind }) => kind === "now" || kind === "before").flatMap(({ marks }) => marks.map(({ x }) => x));
  assert.deepEqual(places, [341, 341]);
});

test("the last good run is the newest before this one, of the same sizes where there is one", () => {
  const now = onCard(512, 100);
  const same = past(onCard(512, 125), 2);
  const history = [past(onCard(512, 50), 1), same, past(onCard(512, 300, { verdict: "wrong" }), 3), past(onCard(1024, 10), 4), past(now, 5)];
  assert.deepEqual(lastGood(now, 5, history), { before: same, alike: true, ratio: 1.25 });
  const other = lastGood(onCard(2048, 1), 5, history.slice(0, 4));
  assert.deepEqual([other?.before.id, other?.alike, other?.ratio], [4, false, undefined]);
  assert.equal(lastGood(now, 5, [history[2], past(now, 5), past(onCard(512, 1, { function: "g" }))].flatMap((one) => one ?? [])), undefined);
});

test("times are compared on one card alone, never of the simulator", () => {
  assert.equal(lastGood(entry(), 5, [past(entry())])?.ratio, undefined);
  assert.equal(lastGood(entry(), 5, [past(entry())])?.alike, true);
  const elsewhere = past(onCard(512, 1, { timing: timing(512, 1, { card: "other" }) }));
  assert.equal(lastGood(onCard(512, 1), 5, [elsewhere])?.alike, false);
  const failed = onCard(512, 1, { verdict: "hangs", timing: null });
  assert.deepEqual([lastGood(failed, 5, [elsewhere])?.alike, lastGood(failed, 5, [elsewhere])?.ratio], [true, undefined]);
});

test("ratios in words", () => {
  assert.deepEqual([1.01, 0.99, 1.25, 0.5].map(ratioText), ["as fast as", "as fast as", "1.25 times as long as", "2.00 times as fast as"]);
});
