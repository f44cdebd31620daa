import assert from "node:assert/strict";
import { test } from "node:test";

import { type Ended, Runs, type RunServer } from "../src/runs.js";
import type { RunRequest } from "../src/runTypes.js";
import { Signal } from "../src/signal.js";
import type { ServerState } from "../src/state.js";
import { result } from "./someRuns.js";

const REQUEST: RunRequest = { task: "run", textDocument: { uri: "file:///home/ada/k.co" }, entry: "f" };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs of a server whose answers come in this order; what ended in this window is in `ended`. */
function make(answers: { id: number; started: boolean }[]) {
  const asked: { task?: string; force?: boolean }[] = [];
  const notices = new Signal<{ name: string; news: never }>();
  const states = new Signal<ServerState>();
  const server = {
    request: async (_: string, params: RunRequest) => {
      asked.push(params);
      return answers.shift();
    },
    onNotice: (name: string, listener: (news: never) => void) => notices.event((one) => one.name === name && listener(one.news)),
    onDidChangeState: states.event,
  } as unknown as RunServer;
  const runs = new Runs(server);
  const ended: Ended[] = [];
  runs.onDidEnd((one) => ended.push(one));
  const come = (id: number): void => notices.fire({ name: "croqtile/runResult", news: result([], { id }) as never });
  return { runs, ended, come, states, asked };
}

test("a run is the current one until its result is there", async () => {
  const { runs, ended, come } = make([{ id: 5, started: true }]);
  const start = await runs.start(REQUEST);
  assert.equal(runs.current?.id, 5);
  come(5);
  assert.ok(start.started);
  assert.equal((await start.end).request, REQUEST);
  assert.equal(runs.current, undefined);
  assert.deepEqual(ended.map((one) => one.result.id), [5]);
  assert.equal(runs.last, ended[0]);
});

test("a result that comes before the answer to its request is not lost", async () => {
  const { runs, ended, come } = make([{ id: 5, started: true }]);
  come(5);
  const start = await runs.start(REQUEST);
  assert.ok(start.started);
  assert.equal((await start.end).result.id, 5);
  assert.deepEqual([ended.length, runs.current], [1, undefined]);
});

test("another's run is waited for, and is not taken for the one that was asked for", async () => {
  const { runs, ended, come } = make([{ id: 7, started: false }]);
  const start = await runs.start(REQUEST);
  let isOver = false;
  void start.end.then(() => (isOver = true));
  await turn();
  assert.equal(isOver, false);
  come(7);
  await turn();
  assert.equal(isOver, true);
  assert.deepEqual([ended, runs.last], [[], undefined]);
});

test("whoever waits for the same run hears of its end", async () => {
  const { runs, ended, come } = make([{ id: 5, started: true }, { id: 5, started: false }, { id: 5, started: false }]);
  const starts = [await runs.start(REQUEST), await runs.start(REQUEST), await runs.start(REQUEST)];
  come(5);
  await Promise.all(starts.map(({ end }) => end));
  assert.equal(ended.length, 1);
});

test("the runs of a server that ends have failed, each under its own request", async () => {
  const { runs, states } = make([{ id: 5, started: true }]);
  const start = await runs.start(REQUEST);
  states.fire({ kind: "stopped" });
  assert.ok(start.started);
  const { state, uri } = (await start.end).result;
  assert.deepEqual([state, uri, runs.current], ["failed", "file:///home/ada/k.co", undefined]);
});

test("a profile is told to who asked for it alone", async () => {
  const { runs, ended, come, asked } = make([{ id: 6, started: true }, { id: 6, started: false }]);
  const first = runs.profile(REQUEST, false);
  await turn();
  assert.equal(await runs.profile(REQUEST, true), undefined);
  come(6);
  assert.equal((await first)?.id, 6);
  assert.deepEqual(ended, []);
  assert.deepEqual(asked.map((one) => [one.task, one.force]), [["profile", undefined], ["profile", true]]);
});
