import assert from "node:assert/strict";
import { test } from "node:test";

import { MOST_RESTARTS, Restarts, WINDOW_MS } from "../src/restarts.js";

test("a server that never came up is not started again", () => {
  assert.equal(new Restarts().again(), false);
});

test("a server that worked is started again, and must work again to be started once more", () => {
  const restarts = new Restarts();
  restarts.hasWorked();
  assert.equal(restarts.again(), true);
  assert.equal(restarts.again(), false);
});

test("four times in three minutes, then again when the first is three minutes old", () => {
  let now = 0;
  const restarts = new Restarts(() => now);
  const crash = (at: number): boolean => {
    now = at;
    restarts.hasWorked();
    return restarts.again();
  };
  assert.deepEqual([0, 1000, 2000, 3000, 4000].map(crash), [true, true, true, true, false]);
  assert.equal(crash(179_999), false);
  assert.equal(crash(180_000), true);
});

test("a clock that is set back changes nothing", (context) => {
  let day = Date.parse("2026-01-02");
  context.mock.method(Date, "now", () => day);
  const restarts = new Restarts();
  const passed = context.mock.method(performance, "now", () => 0);
  for (let count = 0; count < MOST_RESTARTS; count += 1) {
    restarts.hasWorked();
    assert.equal(restarts.again(), true);
  }
  restarts.hasWorked();
  assert.equal(restarts.again(), false);
  day -= 24 * 3600_000;
  passed.mock.mockImplementation(() => WINDOW_MS);
  assert.equal(restarts.again(), true);
});
