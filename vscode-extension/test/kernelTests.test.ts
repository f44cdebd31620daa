import assert from "node:assert/strict";
import { test } from "node:test";

import type { KernelTest, RunEntry } from "../src/runTypes.js";
import { outcomesOf } from "../src/views/tests/outcome.js";
import { type Chosen, groupsOf, nameOf } from "../src/views/tests/plan.js";
import { entry, FAILS, HOLDS, HUNG, onCard, result, STANDS } from "./someRuns.js";

const outcome = (run: RunEntry) => outcomesOf(result([run]), 1)[0];

test("a kernel that is verified passes, with its report", () => {
  const found = outcome(entry());
  assert.deepEqual([found?.kind, found?.seconds, found?.messages], ["passed", 0.0812, []]);
  assert.match(found?.report ?? "", /^Verified `f`: M=64 alpha=0\.5, simulator/);
});

test("each expectation that fails has a message with both elements", () => {
  const found = outcome(entry({ verdict: "wrong", expectations: [HOLDS, FAILS] }));
  assert.equal(found?.kind, "failed");
  assert.deepEqual(found?.messages, [
    {
      text: 'y ~= <x & "z"> does not hold: 1,200 of 4,096 elements differ, all in [64:128, 0:32], largest error 2.75, relative 2-norm of the error 0.125\nworst at [1, 2], off by 2.75, allowed 1',
      diff: { expected: "[1, 2]: 1.5", actual: "[1, 2]: 4.25" },
    },
  ]);
});

test("a hang is told at each line that stands", () => {
  const found = outcome(HUNG);
  assert.equal(found?.kind, "failed");
  assert.deepEqual(found?.messages.map(({ range }) => range), [STANDS, STANDS]);
  assert.equal(found?.messages[0]?.text, "Stopped after 81.2 ms: path w == 0 waits for empty[1], generation 3; owed by path w == 1");
  assert.deepEqual(outcome({ ...HUNG, hang: [] })?.messages, [{ text: "Stopped after 81.2 ms" }]);
});

test("what does not run is an error at its place, what crashes a failure", () => {
  const error = outcome(entry({ verdict: "not-run", message: "it has errors", range: STANDS }));
  assert.deepEqual([error?.kind, error?.messages], ["errored", [{ text: "Not run: it has errors", range: STANDS }]]);
  assert.equal(outcome(entry({ verdict: "crashed", message: "x" }))?.kind, "failed");
});

test("a verification passes where all three hold and agree", () => {
  const flow = { verdict: "proved", text: "proved" } as const;
  const good = { sim: entry(), gpu: onCard(512, 100), static: flow, ok: true, agree: true, said: "" };
  const kinds = [good, { ...good, ok: false, static: { verdict: "fails", text: "credit flow fails" } as const }, { ...good, agree: false }];
  const found = outcomesOf(result([], { task: "verify", result: { verified: kinds } }), 3);
  assert.deepEqual(found.map(({ kind }) => kind), ["passed", "failed", "failed"]);
  assert.deepEqual(found[1]?.messages, [{ text: "Credit flow fails" }]);
  assert.match(found[2]?.messages[0]?.text ?? "", /contradict each other/);
});

test("a run that brought nothing is an error of every test it was for", () => {
  const refused = outcomesOf(result([], { state: "refused", message: "there is no driver", result: null }), 2);
  assert.deepEqual(refused.map(({ kind, messages }) => [kind, messages]), [
    ["errored", [{ text: "There is no driver" }]],
    ["errored", [{ text: "There is no driver" }]],
  ]);
  assert.match(outcomesOf(result([entry()]), 2)[1]?.messages[0]?.text ?? "", /changed meanwhile/);
});

test("all lines of a function are one run, some of them are one run each", () => {
  const chosen = (item: string, name: string, runLine: number | null, ofFunction: number, uri = "file:///a.co", overload = 0): Chosen<string> => {
    const made: KernelTest = { function: name, overload, runLine, label: "", range: STANDS, sizes: {}, expects: ["y == x"] };
    return { item, uri, test: made, ofFunction };
  };
  const groups = groupsOf([
    chosen("f1", "f", 1, 2),
    chosen("g2", "g", 2, 3),
    chosen("f0", "f", 0, 2),
    chosen("g0", "g", 0, 3),
    chosen("alone", "h", null, 1),
    chosen("other", "f", 0, 2, "file:///b.co"),
    chosen("second", "h", null, 1, "file:///a.co", 1),
  ]);
  assert.deepEqual(
    groups.map(({ uri, entry: name, overload, runLine, items }) => [uri.at(-4), name, overload, runLine, items]),
    [
      ["a", "f", 0, undefined, ["f0", "f1"]],
      ["a", "g", 0, 0, ["g0"]],
      ["a", "g", 0, 2, ["g2"]],
      ["a", "h", 0, undefined, ["alone"]],
      ["b", "f", 0, 0, ["other"]],
      ["a", "h", 1, undefined, ["second"]],
    ],
  );
});

test("two tests of a function have names of their own, for results show no descriptions", () => {
  const named = (name: string, label: string, overload = 0): KernelTest => ({ function: name, overload, runLine: 0, label, range: STANDS, sizes: {}, expects: [] });
  const all = [named("f", "small"), named("f", "M=64"), named("g", "M=8")];
  assert.deepEqual(all.map((one) => nameOf(one, all)), [
    { label: "f small", description: "" },
    { label: "f M=64", description: "" },
    { label: "g", description: "M=8" },
  ]);
  assert.equal(nameOf(named("f", ""), [named("f", ""), named("f", "a")]).label, "f");
  const alike = [named("f", "N=4"), named("f", "N=4", 1)];
  assert.deepEqual(alike.map((one) => nameOf(one, alike).label), ["f (1) N=4", "f (2) N=4"]);
});
