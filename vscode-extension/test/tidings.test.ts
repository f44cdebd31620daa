import assert from "node:assert/strict";
import { test } from "node:test";

import type { Found, NotFound, ServerState, Why } from "../src/state.js";
import { CHOOSE, CREATE, OUTPUT, remedy, RESTART, Tidings, TRUST } from "../src/tidings.js";

const found: Found = { kind: "found", candidate: { command: "py", origin: "path" }, python: "3.11.7", server: "0.1.0" };
const running: ServerState = { kind: "running", found };
const missing: NotFound = { kind: "package-missing", candidate: { command: "py", origin: "path" }, python: "3.11.7" };
const notFound: ServerState = { kind: "not-found", outcome: missing, trusted: true };
const searching = (why: Why): ServerState => ({ kind: "searching", why });
const crashed = (worked: boolean): Parameters<typeof remedy>[0] => ({ kind: "crashed", reason: "it ended", worked });

/** How many messages a sequence of states makes. */
function count(tidings: Tidings, states: readonly ServerState[]): number {
  return states.filter((state) => tidings.about(state) !== undefined).length;
}

test("a start that goes well is not spoken of", () => {
  assert.equal(count(new Tidings(), [searching("start"), { kind: "starting", found }, running, { kind: "stopped" }]), 0);
});

test("one message and one button for an environment that is missing, however often the surroundings change", () => {
  const tidings = new Tidings();
  tidings.about(searching("start"));
  assert.deepEqual(tidings.about(notFound), {
    text: 'Python 3.11.7 (py) has no croqtile-tools. Install the package there, or set "croqtile.python" to one that has it.',
    way: CREATE,
  });
  assert.equal(count(tidings, [searching("surroundings"), notFound, searching("surroundings"), notFound]), 0);
});

test("who asks for a restart is told again", () => {
  const tidings = new Tidings();
  assert.equal(count(tidings, [searching("start"), notFound, searching("asked"), notFound]), 2);
});

test("a request says itself why there is no server", () => {
  assert.equal(count(new Tidings(), [searching("request"), notFound]), 0);
});

test("a server that ends again and again is spoken of once in three minutes", () => {
  let now = 1_000_000;
  const tidings = new Tidings(() => now);
  const crash = [searching("ended"), running];
  assert.equal(count(tidings, [searching("start"), running, ...crash, ...crash, ...crash]), 1);
  now += 180_000;
  assert.equal(count(tidings, crash), 1);
});

test("a deleted environment is told of, with what came in its place", () => {
  const tidings = new Tidings();
  tidings.about(searching("deleted"));
  assert.equal(tidings.about(running)?.text, "The Python environment of the language server was deleted; now it runs in Python 3.11.7 (py), croqtile-tools 0.1.0");
  tidings.about(searching("deleted"));
  const told = tidings.about(notFound);
  assert.match(told?.text ?? "", /^The Python environment of the language server was deleted\. Python 3\.11\.7 \(py\) has no croqtile-tools\./);
  assert.equal(told?.way, CREATE);
});

test("after a time with a server the same trouble is news", () => {
  assert.equal(count(new Tidings(), [searching("start"), notFound, searching("surroundings"), running, searching("surroundings"), notFound]), 2);
});

test("each trouble has the button that leads out of it", () => {
  const way = (outcome: NotFound): unknown => remedy({ kind: "not-found", outcome, trusted: true }).way;
  assert.equal(way({ kind: "nothing-to-try" }), TRUST);
  assert.equal(way({ kind: "no-interpreter", candidate: { command: "/x", origin: "setting" }, reason: "gone" }), CHOOSE);
  assert.equal(way({ kind: "package-broken", candidate: { command: "/x", origin: "path" }, reason: "ImportError" }), OUTPUT);
  const untrusted = remedy({ kind: "not-found", outcome: missing, trusted: false });
  assert.match(untrusted.text, / No Python inside this workspace is tried: it is not trusted\.$/);
  assert.equal(untrusted.way, TRUST);
  assert.equal(remedy(crashed(true)).way, RESTART);
  assert.equal(remedy(crashed(false)).way, OUTPUT);
});
