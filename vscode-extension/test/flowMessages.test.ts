import assert from "node:assert/strict";
import { test } from "node:test";

import { documentOf, heard } from "../src/views/flow/messages.js";
import { waitingPage } from "../src/views/flow/waiting.js";
import { html } from "../src/views/page.js";
import { isPosition } from "../src/lsp.js";

const range = { start: { line: 3, character: 0 }, end: { line: 3, character: 9 } };

test("what the page says is taken as it is meant", () => {
  assert.deepEqual(heard({ type: "ready" }), { type: "ready" });
  assert.deepEqual(heard({ type: "reveal", range }), { type: "reveal", range });
  assert.deepEqual(heard({ type: "step", range }), { type: "step", range });
  assert.deepEqual(heard({ type: "step", range: null }), { type: "step", range: null });
});

test("anything else is not heard", () => {
  const start = { line: 3, character: 0 };
  const wrong = [undefined, null, 3, "ready", {}, { type: "run" }, { type: "reveal" }, { type: "reveal", range: null }, { type: "reveal", range: { start } }];
  const places = [{ line: -1, character: 0 }, { line: 1.5, character: 0 }, { line: "1", character: 0 }, { line: 1 }, null];
  for (const message of [...wrong, ...places.map((end) => ({ type: "step", range: { start, end } }))]) {
    assert.equal(heard(message), undefined, JSON.stringify(message));
  }
});

test("a panel that is restored knows its document from the page's state", () => {
  assert.equal(documentOf({ uri: "file:///k%201.co", place: { at: 3 } }), "file:///k%201.co");
  for (const state of [undefined, null, {}, { uri: "" }, { uri: 3 }, "file:///k.co"]) {
    assert.equal(documentOf(state), undefined);
  }
});

test("a page that waits takes words as words, and loads nothing", () => {
  const page = html(waitingPage('<script>"x" & y</script>'));
  assert.ok(page.includes("&lt;script&gt;&quot;x&quot; &amp; y&lt;/script&gt;"));
  const nonce = /style-src 'nonce-([^']+)'/.exec(page)?.[1];
  assert.ok(page.includes(`"default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'"`));
  assert.deepEqual([...page.matchAll(/<script[^>]*>/g)].map(String), [`<script nonce="${nonce}">`]);
});

test("a place is whole numbers from 0", () => {
  assert.ok(isPosition({ line: 0, character: 3 }));
  for (const place of [undefined, null, 3, {}, { line: 1 }, { line: -1, character: 0 }, { line: 0.5, character: 0 }, { line: "1", character: 0 }]) {
    assert.equal(isPosition(place), false);
  }
});
