import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";

import { Following } from "../src/views/flow/following.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What was begun, in order, and whether it was ended; each piece goes on until `finish` is called. */
function record(t: TestContext): { following: Following; begun: string[]; ended: string[]; finish: () => Promise<void> } {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const begun: string[] = [];
  const ended: string[] = [];
  const open: (() => void)[] = [];
  const work = (name: string) => (signal: AbortSignal) => {
    begun.push(name);
    signal.addEventListener("abort", () => ended.push(name));
    return new Promise<void>((resolve) => open.push(resolve));
  };
  const following = new Following({ refresh: work("refresh"), look: work("look") });
  const finish = async (): Promise<void> => {
    open.splice(0).forEach((resolve) => resolve());
    await turn();
  };
  return { following, begun, ended, finish };
}

test("a cursor that runs is followed once, where it stops", (t) => {
  const { following, begun } = record(t);
  for (let i = 0; i < 20; i++) {
    following.moved();
    t.mock.timers.tick(30);
  }
  assert.deepEqual(begun, []);
  t.mock.timers.tick(60);
  assert.deepEqual(begun, ["look"]);
});

test("an answer that nobody waits for any more is ended", (t) => {
  const { following, begun, ended } = record(t);
  following.moved();
  t.mock.timers.tick(60);
  following.moved();
  assert.deepEqual(ended, ["look"]);
  t.mock.timers.tick(60);
  assert.deepEqual(begun, ["look", "look"]);
});

test("after an edit the flow comes first, then the cursor", async (t) => {
  const { following, begun, finish } = record(t);
  following.edited();
  following.moved(); // the cursor moves with what is typed
  t.mock.timers.tick(249);
  assert.deepEqual(begun, []);
  t.mock.timers.tick(1);
  assert.deepEqual(begun, ["refresh"]);
  following.moved();
  await finish();
  assert.deepEqual(begun, ["refresh", "look"]);
  await finish();
  following.moved();
  t.mock.timers.tick(60);
  assert.deepEqual(begun, ["refresh", "look", "look"]);
});

test("an edit while the flow is under way asks for it anew, and the cursor waits", async (t) => {
  const { following, begun, ended, finish } = record(t);
  following.edited();
  t.mock.timers.tick(250);
  following.edited();
  assert.deepEqual(ended, ["refresh"]);
  await finish();
  assert.deepEqual(begun, ["refresh"]);
  following.moved();
  t.mock.timers.tick(250);
  assert.deepEqual(begun, ["refresh", "refresh"]);
});

test("what is stopped begins nothing more, until something happens", async (t) => {
  const { following, begun, ended, finish } = record(t);
  following.anew();
  t.mock.timers.tick(0);
  following.stop();
  await finish();
  t.mock.timers.tick(1000);
  assert.deepEqual([begun, ended], [["refresh"], ["refresh"]]);
  following.moved();
  t.mock.timers.tick(60);
  assert.deepEqual(begun, ["refresh", "look"]);
});
