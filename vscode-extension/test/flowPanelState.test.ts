import assert from "node:assert/strict";
import { test } from "node:test";

import type { FlowData } from "../src/flowTypes.js";
import type { ToPage } from "../src/views/flow/messages.js";
import { type Loading, PanelState } from "../src/views/flow/panelState.js";

const [A, B] = ["file:///a.co", "file:///b.co"];
const PIPE = { function: "pipe" };
const flow = (name: string): FlowData => ({ flows: [name] });

/** A state with what it said and did since it was last looked at; documents are of version 1 where nothing else is said. */
function make(versions: Record<string, number> = {}): { state: PanelState; loads: Loading[]; said: () => ToPage[]; did: () => string[] } {
  const loads: Loading[] = [];
  const messages: ToPage[] = [];
  const deeds: string[] = [];
  const note = (deed: string) => () => void deeds.push(deed);
  const state = new PanelState(A, {
    load: (loading) => void loads.push(loading),
    say: (message) => void messages.push(message),
    versionOf: (uri) => versions[uri] ?? 1,
    following: { anew: note("anew"), edited: note("edited"), moved: note("moved"), stop: note("stop") },
  });
  return { state, loads, said: () => messages.splice(0), did: () => deeds.splice(0) };
}

function lastOf(loads: readonly Loading[]): Loading {
  const last = loads.at(-1);
  assert.ok(last !== undefined);
  return last;
}

test("a function asked for while the page is made is opened once it is there", () => {
  const { state, loads, said } = make();
  state.load();
  state.turn(A, PIPE);
  assert.equal(loads.length, 1); // the page under way is the right one
  assert.equal(state.loaded(lastOf(loads), 1), true);
  state.ready();
  assert.deepEqual(said(), [{ type: "open", function: "pipe" }, { type: "document", uri: A }]);
});

test("times measured while the page is made are shown once it is there", () => {
  const { state, loads, said, did } = make();
  state.load();
  state.turn(A, PIPE);
  state.measured(flow("times"), 1, PIPE);
  state.loaded(lastOf(loads), 1);
  did();
  state.ready();
  assert.deepEqual(said(), [{ type: "flow", result: flow("times"), open: "pipe" }, { type: "document", uri: A }]);
  assert.deepEqual(did(), ["moved"]);
});

test("of two pages under way the one that began last is shown, in whichever order they come", () => {
  const { state, loads } = make();
  state.load();
  state.turn(B, null);
  const [first, second] = loads;
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual([first.uri, second.uri], [A, B]);
  assert.equal(state.loaded(second, 1), true);
  assert.equal(state.loaded(first, 1), false);
  state.ready();
  assert.deepEqual([state.uri, state.shown], [B, B]);
});

test("a refusal of a page that nobody waits for any more is not shown", () => {
  const { state, loads } = make();
  state.load();
  state.unsettled(true);
  const [first, second] = loads;
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(state.refused(first), false);
  assert.equal(state.refused(second), true);
  state.turn(A, PIPE); // nothing is under way: it is tried again
  assert.equal(loads.length, 3);
});

test("a server that starts has the page made that was refused, and keeps what was measured", () => {
  const { state, loads, said } = make();
  state.load();
  state.measured(flow("times"), 1, null);
  state.refused(lastOf(loads));
  state.unsettled(false); // also of a panel that nobody sees
  state.loaded(lastOf(loads), 1);
  state.ready();
  assert.deepEqual(said()[0], { type: "flow", result: flow("times"), open: null });
});

test("until the flow of another document is there, the page is about the one before", () => {
  const { state, said, did } = make();
  state.opened(1, null);
  state.ready();
  said();
  did();
  state.turn(B, { function: "other" });
  assert.deepEqual([state.uri, state.shown, state.isCurrent], [B, A, false]);
  assert.deepEqual([said(), did()], [[{ type: "note", text: "", stale: true }], ["anew"]]);
  state.refreshed(flow("b"), 1);
  assert.deepEqual([state.shown, state.isCurrent], [B, true]);
  assert.deepEqual(said(), [{ type: "flow", result: flow("b"), open: "other" }, { type: "document", uri: B }]);
});

test("a page that was hidden begins with what it was made of, and is told the newest", () => {
  const { state, said } = make();
  state.opened(1, null);
  state.ready();
  state.refreshed(flow("new"), 1);
  state.hidden();
  said();
  state.at({ function: "f", overload: 0, range: null, visits: [] });
  assert.deepEqual(said(), []); // nobody listens
  state.ready();
  assert.deepEqual(said(), [{ type: "flow", result: flow("new") }, { type: "document", uri: A }]);
});

test("settings that change while nobody sees the page are asked for when it is seen", () => {
  const { state, did } = make();
  state.opened(1, null);
  state.ready();
  state.hidden();
  did();
  state.unsettled(false);
  assert.deepEqual(did(), []);
  state.ready();
  assert.deepEqual(did(), ["anew"]);
  state.refreshed(flow("new"), 1);
  state.hidden();
  did();
  state.ready();
  assert.deepEqual(did(), ["moved"]);
});

test("an edit before the page is there asks anew; one after a measurement is told of", () => {
  const versions = { [A]: 2 };
  const { state, said, did } = make(versions);
  state.opened(1, null);
  state.ready();
  assert.deepEqual(did(), ["anew"]);
  state.measured(flow("times"), 2, null);
  assert.deepEqual(did(), ["stop", "moved"]);
  said();
  versions[A] = 3;
  state.turn(A, null);
  assert.deepEqual(said().at(-1), { type: "note", text: "Measured before the last edit: the lines may have moved.", stale: false });
  state.unsettled(true);
  assert.deepEqual(did(), []); // measured times stay those of the text
});

test("a function asked for by name is left only when the cursor moves", () => {
  const { state, said } = make();
  state.opened(1, PIPE);
  state.ready();
  said();
  const other = { function: "other", overload: 0, range: null, visits: [] };
  state.at(other);
  assert.deepEqual(said(), []);
  state.moved();
  state.at(other);
  assert.deepEqual(said(), [{ type: "at", told: other }]);
});

test("of two functions of a name the one that was asked for is opened, and left only when the cursor moves", () => {
  const second = { function: "pipe", overload: 1 };
  const { state, said } = make();
  state.opened(1, second);
  state.ready();
  assert.deepEqual(said()[0], { type: "open", ...second });
  const [own, other] = [1, 0].map((overload) => ({ function: "pipe", overload, range: null, visits: [] }));
  assert.ok(own !== undefined && other !== undefined);
  state.at(other);
  assert.deepEqual(said(), []);
  state.at(own);
  assert.deepEqual(said(), [{ type: "at", told: own }]);
  state.measured(flow("times"), 1, second);
  assert.deepEqual(said()[0], { type: "flow", result: flow("times"), open: "pipe", overload: 1 });
});
