import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Later } from "../src/later.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("ten edits are one piece of work, when the last is old enough", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const work = mock.fn();
  const later = new Later<string>(work);
  for (let i = 0; i < 10; i++) {
    later.ask("k", 300);
    t.mock.timers.tick(100);
  }
  assert.equal(work.mock.callCount(), 0);
  t.mock.timers.tick(200);
  assert.deepEqual(work.mock.calls.map((call) => call.arguments), [["k"]]);
});

test("what is asked for meanwhile is done once more, never twice at a time", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const ends: (() => void)[] = [];
  let [now, most] = [0, 0];
  const later = new Later<string>(async () => {
    most = Math.max(most, ++now);
    await new Promise<void>((resolve) => ends.push(resolve));
    now--;
  });
  later.ask("k", 0);
  t.mock.timers.tick(1);
  later.ask("k", 0);
  t.mock.timers.tick(1);
  later.ask("k", 0);
  t.mock.timers.tick(1);
  assert.equal(ends.length, 1);
  ends[0]?.();
  await turn();
  t.mock.timers.tick(1);
  assert.deepEqual([ends.length, most], [2, 1]);
});

test("what was forgotten is not done", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const work = mock.fn();
  const later = new Later<string>(work);
  later.ask("a", 10);
  later.ask("b", 10);
  later.ask("c", 10);
  later.forget("b");
  t.mock.timers.tick(5);
  later.dispose();
  t.mock.timers.tick(100);
  assert.equal(work.mock.callCount(), 0);
});
