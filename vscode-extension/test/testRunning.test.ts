import assert from "node:assert/strict";
import { test } from "node:test";

import { Runs, type RunServer } from "../src/runs.js";
import type { RunRequest } from "../src/runTypes.js";
import { Signal } from "../src/signal.js";
import type { Group } from "../src/views/tests/plan.js";
import { type Manner, Running } from "../src/views/tests/running.js";
import { entry, HUNG, result } from "./someRuns.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const SIM: Manner = { task: "run", engine: "sim" };

function group(entryName: string, ...items: readonly string[]): Group<string> {
  return { uri: "file:///k.co", entry: entryName, overload: 0, runLine: undefined, items };
}

/** A server that gives these answers to requests, and a person who may cancel; `told` is what the editor is told. */
function make(answers: (number | "busy" | Error)[], manner = SIM) {
  const asked: RunRequest[] = [];
  const cancelled: (number | undefined)[] = [];
  const told: string[] = [];
  const results = new Signal<never>();
  const cancel = new Signal<void>();
  const token = { isCancellationRequested: false, onCancellationRequested: cancel.event };
  const server = {
    request: async (method: string, params: never) => {
      if (method === "croqtile/runCancel") {
        cancelled.push((params as { id?: number }).id);
        return { cancelled: true };
      }
      asked.push(params);
      const answer = answers.shift();
      if (answer instanceof Error) {
        throw answer;
      }
      return answer === "busy" ? { id: 99, started: false } : { id: answer, started: true };
    },
    onNotice: (name: string, listener: (news: never) => void) => (name === "croqtile/runResult" ? results.event(listener) : { dispose: () => undefined }),
    onDidChangeState: () => ({ dispose: () => undefined }),
  } as unknown as RunServer;
  const running = new Running<string>(
    new Runs(server),
    {
      started: (item) => told.push(`${item} started`),
      skipped: (item) => told.push(`${item} skipped`),
      errored: (item, text) => told.push(`${item} errored: ${text}`),
      ended: (item, outcome) => told.push(`${item} ${outcome.kind}`),
      prepare: async (uri) => void told.push(`prepared ${uri.at(-4)}`),
      showPanel: async () => void told.push("panel"),
    },
    manner,
    token,
  );
  return {
    running,
    asked,
    cancelled,
    told,
    come: (id: number, more: Parameters<typeof result> = [[entry()]]) => results.fire({ ...result(...more), id } as never),
    callOff: () => {
      token.isCancellationRequested = true;
      cancel.fire();
    },
  };
}

test("one run after the other, each test with what came of it", async () => {
  const { running, asked, told, come } = make([1, 2]);
  const all = running.all([group("f", "a", "b"), { ...group("g", "c"), runLine: 1 }]);
  await turn();
  assert.deepEqual(asked, [{ textDocument: { uri: "file:///k.co" }, entry: "f", overload: 0, task: "run", engine: "sim" }]);
  come(1, [[entry(), HUNG]]);
  await turn();
  come(2);
  await all;
  assert.equal(asked[1]?.runLine, 1);
  assert.deepEqual(told, ["a started", "b started", "prepared k", "a passed", "b failed", "c started", "prepared k", "c passed"]);
});

test("a run of somebody else's is waited for, and ours comes then", async () => {
  const { running, asked, told, come } = make(["busy", 3]);
  const all = running.all([group("f", "a")]);
  await turn();
  assert.equal(asked.length, 1);
  come(99);
  await turn();
  assert.equal(asked.length, 2);
  come(3);
  await all;
  assert.deepEqual(told, ["a started", "prepared k", "a passed"]);
});

test("who calls it off does not wait for somebody else's run, and leaves that alone", async () => {
  const { running, cancelled, told, callOff } = make(["busy"]);
  const all = running.all([group("f", "a"), group("g", "b")]);
  await turn();
  callOff();
  await all;
  assert.deepEqual(cancelled, []);
  assert.deepEqual(told, ["a started", "prepared k", "a skipped", "b skipped"]);
});

test("who calls it off ends the own run", async () => {
  const { running, cancelled, told, come, callOff } = make([7]);
  const all = running.all([group("f", "a")]);
  await turn();
  callOff();
  assert.deepEqual(cancelled, [7]);
  come(7, [[], { state: "cancelled", result: null }]);
  await all;
  assert.deepEqual(told.at(-1), "a skipped");
});

test("what cannot be run says why, and the next ones are run", async () => {
  const { running, told, come } = make([new Error("no server"), 2]);
  const all = running.all([group("f", "a", "b"), group("g", "c")]);
  await turn();
  come(2);
  await all;
  assert.deepEqual(told, ["a started", "b started", "prepared k", "a errored: no server", "b errored: no server", "c started", "prepared k", "c passed"]);
});

test("to look closer the run panel is opened while it runs", async () => {
  const { running, told, come } = make([1], { ...SIM, panel: true });
  const all = running.all([group("f", "a")]);
  await turn();
  assert.deepEqual(told.at(-1), "panel");
  come(1);
  await all;
});
