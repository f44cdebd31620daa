import assert from "node:assert/strict";
import { test } from "node:test";

import { runReport, type Surrounding } from "../src/runReport.js";
import { entry, FAILS, HUNG, onCard, result, STANDS } from "./someRuns.js";

const AROUND: Surrounding = { path: "/home/ada/secret project/k.co", extension: "0.1.0, VS Code 1.100.3", server: "0.1.0, Python 3.11.7" };

test("a report has versions, card, sizes, verdict and worst elements", () => {
  const report = runReport(result([onCard(512, 100, { verdict: "wrong", expectations: [FAILS], notes: ["a note"], schedule: 3 })]), AROUND);
  assert.equal(
    report,
    `### Croqtile run: k.co

- croqtile-tools 0.1.0, Python 3.11.7
- extension 0.1.0, VS Code 1.100.3
- card H200

**Wrong** \`f\`: M=512 N=512 K=512, H200, sm_90a, seed 7, 2.68 µs, schedule 3

- median 2.68 µs of 20 rounds, best 1.34 µs, 100 TFLOP/s (13 % of cuBLAS, f16), 586 GB/s (15 % of the card's copy)
- FAILS \`y ~= <x & "z">\`: 1,200 of 4,096 elements differ, all in [64:128, 0:32], largest error 2.75, relative 2-norm of the error 0.125; |got − expected| ≤ 0.25 + 0.5 · |expected|
  - worst at [1, 2]: got 4.25, expected 1.5, off by 2.75
- note: a note
`,
  );
});

test("a hang is told line by line", () => {
  const report = runReport(result([HUNG]), AROUND);
  assert.match(report, /\n- Stopped after 81\.2 ms\n {2}- line 24: path w == 0 waits for empty\[1\], generation 3; owed by path w == 1\n/);
});

test("no folder of the user's is named", () => {
  const message = "/home/ada/secret project/k.co: has several functions";
  const refused = runReport(result([], { state: "refused", message, result: null }), AROUND);
  assert.match(refused, /\nRefused: k\.co: has several functions\n$/);
  const windows = { ...AROUND, path: "C:\\Users\\ada\\k.co" };
  const run = entry({ verdict: "not-run", message: "C:\\Users\\ada\\k.co: no", range: STANDS, path: windows.path });
  const report = runReport(result([run]), windows);
  assert.match(report, /\n- line 24: k\.co: no\n/);
  assert.doesNotMatch(report + refused, /ada|secret/);
});

test("what a kernel prints does not end the block that it stands in", () => {
  const report = runReport(result([entry({ prints: ["a\n", "```\n", "# no heading ````\n"] })]), AROUND);
  assert.match(report, /\n`````text\na\n```\n# no heading ````\n`````\n$/);
});

test("long output of a kernel is cut", () => {
  const prints = Array.from({ length: 100 }, (_, at) => `${at}\n`);
  const lines = runReport(result([entry({ prints })]), AROUND).split("\n");
  assert.deepEqual(lines.slice(-4), ["39", "… 60 more lines", "```", ""]);
});

test("a verification is reported whole", () => {
  const flow = { verdict: "proved", text: "credit flow proved for every K" } as const;
  const verified = [{ sim: entry(), gpu: null, static: flow, ok: true, agree: false, said: "there is no driver" }];
  const report = runReport(result([], { task: "verify", result: { verified } }), AROUND);
  assert.match(report, /\nNot on a card: there is no driver\n\nCredit flow: credit flow proved for every K\n\n\*\*These contradict each other\.\*\*\n$/);
});
