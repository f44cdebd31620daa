import assert from "node:assert/strict";
import { test } from "node:test";

import { Turns } from "../src/turns.js";

test("each piece waits for the one before", async () => {
  const done: string[] = [];
  const turns = new Turns((error) => assert.ifError(error));
  void turns.add(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    done.push("slow");
  });
  await turns.add(async () => void done.push("quick"));
  assert.deepEqual(done, ["slow", "quick"]);
});

test("a piece that throws is told of, and is in nobody's way", async () => {
  const failures: unknown[] = [];
  const turns = new Turns((error) => failures.push(error));
  const broken = new Error("broken");
  await turns.add(() => Promise.reject(broken));
  await turns.add(() => {
    throw broken; // before there is a promise
  });
  let worked = false;
  await turns.add(async () => void (worked = true));
  await turns.ended();
  assert.deepEqual([failures, worked], [[broken, broken], true]);
});
