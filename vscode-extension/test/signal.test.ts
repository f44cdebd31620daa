import assert from "node:assert/strict";
import { test } from "node:test";

import { Signal } from "../src/signal.js";

test("listeners hear what comes until they are disposed of, each for itself", () => {
  const signal = new Signal<number>();
  const heard: number[] = [];
  const listen = (news: number): void => void heard.push(news);
  const first = signal.event(listen);
  signal.event(listen);
  signal.fire(1);
  first.dispose();
  signal.fire(2);
  assert.deepEqual(heard, [1, 1, 2]);
  signal.dispose();
  signal.fire(3);
  assert.equal(heard.length, 3);
});
