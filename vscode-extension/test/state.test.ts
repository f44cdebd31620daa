import assert from "node:assert/strict";
import { test } from "node:test";

import { type Found, show } from "../src/state.js";

const found: Found = {
  kind: "found",
  candidate: { command: "/v/bin/python", origin: "workspace" },
  python: "3.11.7",
  server: "0.1.0",
};

test("a running server says what runs", () => {
  assert.deepEqual(show({ kind: "running", found }), {
    text: "Croqtile",
    detail: "Python 3.11.7 (/v/bin/python), croqtile-tools 0.1.0",
    severity: "information",
    busy: false,
  });
});

test("only searching and starting are busy", () => {
  assert.equal(show({ kind: "searching", why: "start" }).busy, true);
  assert.equal(show({ kind: "starting", found }).busy, true);
  assert.equal(show({ kind: "stopped" }).busy, false);
});

test("a server that is not there is a warning, one that broke an error", () => {
  assert.equal(show({ kind: "not-found", outcome: { kind: "nothing-to-try" }, trusted: false }).severity, "warning");
  assert.deepEqual(show({ kind: "crashed", reason: "exit code 1", worked: false }), {
    text: "Croqtile: server ended",
    detail: "exit code 1",
    severity: "error",
    busy: false,
  });
});
