import assert from "node:assert/strict";
import { test } from "node:test";

import type { Doctor } from "../src/requests.js";
import type { Found, ServerState } from "../src/state.js";
import { cardOf, statusOf } from "../src/statusText.js";

const found: Found = { kind: "found", candidate: { command: "py", origin: "path" }, python: "3.11.7", server: "0.1.0" };
const running: ServerState = { kind: "running", found };
const facts = { dialect: "course", arch: "sm_90a" };
const card = { name: "card", state: "ok", detail: "NVIDIA H200, sm_90a, 140 GiB", hint: "", command: "" } as const;
const READY: Doctor = { ready: true, summary: "", findings: [card] };
const NONE: Doctor = { ready: false, summary: "", findings: [{ ...card, state: "missing", detail: "the driver finds no card" }] };

test("health in a sign, dialect and engine in a word each", () => {
  assert.equal(statusOf(running, facts, READY).text, "$(pass) Croqtile · course · NVIDIA H200");
  assert.equal(statusOf(running, facts, NONE).text, "$(pass) Croqtile · course · simulator");
  assert.equal(statusOf(running, { ...facts, dialect: "any" }, undefined).text, "$(pass) Croqtile");
  assert.equal(statusOf({ kind: "searching", why: "start" }, facts, READY).text, "$(sync~spin) Croqtile");
});

test("the lines behind it", () => {
  assert.deepEqual(statusOf(running, facts, READY).rows, [
    ["Server", "Python 3.11.7 (py), croqtile-tools 0.1.0"],
    ["Dialect", "course"],
    ["Target", "sm_90a"],
    ["Engine", "GPU, simulator"],
    ["Card", "NVIDIA H200, sm_90a, 140 GiB"],
  ]);
  assert.deepEqual(statusOf(running, undefined, NONE).rows.slice(1), [["Engine", "simulator"], ["Card", "none that kernels can run on"]]);
});

test("a click leads to what helps", () => {
  const at = (state: ServerState): string => statusOf(state, undefined, undefined).command;
  assert.equal(at(running), "croqtile.doctor");
  assert.equal(at({ kind: "not-found", outcome: { kind: "nothing-to-try" }, trusted: false }), "croqtile.chooseEnvironment");
  assert.equal(at({ kind: "crashed", reason: "x", worked: true }), "croqtile.restartServer");
});

test("a card counts only where kernels can run on it", () => {
  assert.equal(cardOf(READY), "NVIDIA H200");
  assert.equal(cardOf({ ...READY, ready: false }), undefined);
  assert.equal(cardOf(NONE), undefined);
});
