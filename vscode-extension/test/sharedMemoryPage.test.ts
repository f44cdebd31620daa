import assert from "node:assert/strict";
import { test } from "node:test";

import type { SharedMemory, SharedTensor } from "../src/requests.js";
import { html, isReady, say, text } from "../src/views/page.js";
import { aboutIn, declaredOn, latest, marks, rowsOf, sharedMemoryPage, sharing, size, unused } from "../src/views/sharedMemoryPage.js";

function tensor(name: string, offset: number, bytes: number, more: Partial<SharedTensor> = {}): SharedTensor {
  const range = { start: { line: offset / 1024, character: 4 }, end: { line: offset / 1024, character: 9 } };
  return { name, range, element: "f16", shape: [64, 64], offset, bytes, slots: 1, stride: bytes, swizzle: 0, alignment: 128, ...more };
}

/** A ring of four, and an output over its first half; 48 bytes of barriers behind. */
const RING = tensor("lhs_s", 0, 32768, { slots: 4, stride: 8192, swizzle: 128 });
const OUTPUT = tensor("output_s", 1024, 8192);
const OTHER = tensor("rhs_s", 32768, 8192);
const LAYOUT: SharedMemory = {
  arch: "sm_90a",
  kernels: [{ function: "matmul", kernel: "matmul", bytes: 41008, limit: 232448, tensors: [RING, OUTPUT, OTHER] }],
  diagnostics: [],
};

const ABOUT = { textDocument: { uri: "file:///k.co" }, entry: "</script>" };

test("a page keeps what it is about, and what it does not know is nothing", () => {
  const { script } = sharedMemoryPage("k.co", LAYOUT, ABOUT);
  assert.equal(script, 'state.about = {"textDocument":{"uri":"file:///k.co"},"entry":"\\u003c/script>"}; editor.setState(state);');
  assert.deepEqual(aboutIn({ about: ABOUT, scroll: 3 }), ABOUT);
  assert.deepEqual(aboutIn({ about: { ...ABOUT, overload: 1 } }), { ...ABOUT, overload: 1 });
  assert.deepEqual(aboutIn({ about: { textDocument: { uri: "x" }, entry: 3 } }), { textDocument: { uri: "x" } });
  assert.deepEqual([null, {}, { about: {} }, { about: { textDocument: { uri: 3 } } }].map(aboutIn), [undefined, undefined, undefined, undefined]);
});

test("tensors of one row share no byte", () => {
  assert.deepEqual(rowsOf([RING, OUTPUT, OTHER]), [0, 1, 0]);
  assert.deepEqual(rowsOf([tensor("a", 0, 4), tensor("b", 0, 8), tensor("c", 2, 2), tensor("d", 8, 2)]), [0, 1, 2, 0]);
});

test("who shares bytes with whom", () => {
  assert.deepEqual(sharing(RING, [RING, OUTPUT, OTHER]), [OUTPUT]);
  assert.deepEqual(sharing(OTHER, [RING, OUTPUT, OTHER]), [], "they touch and do not overlap");
});

test("bytes that no tensor has are counted once", () => {
  assert.equal(unused(LAYOUT.kernels[0]!), 48);
  assert.equal(unused({ ...LAYOUT.kernels[0]!, bytes: 64, tensors: [tensor("a", 8, 8), tensor("b", 32, 16)] }), 40);
});

test("sizes as people write them, and few marks", () => {
  assert.deepEqual([0, 1023, 1024, 41008, 232448].map(size), ["0 B", "1023 B", "1 KiB", "40.0 KiB", "227 KiB"]);
  assert.deepEqual(marks(512), [0, 64, 128, 192, 256, 320, 384, 448]);
  assert.deepEqual(marks(41008), [0, 8192, 16384, 24576, 32768]);
  assert.deepEqual(marks(0), [0]);
});

test("the declaration at the cursor is lit on the map and in the table", () => {
  assert.deepEqual(declaredOn(LAYOUT, 1), ["m0-1", "r0-1"]);
  assert.deepEqual(declaredOn(LAYOUT, 5), []);
});

test("the page says in words and in a table what the map shows", () => {
  const { body, style } = sharedMemoryPage("k.co", LAYOUT, ABOUT);
  assert.match(body, /40\.0 KiB of 227 KiB, 17\.6 % of what a block may take · barriers and gaps 48 B · tensors in several rows share bytes/);
  assert.match(body, /aria-label="lhs_s: f16 \[64, 64\], 4 slots of 8 KiB, offset 0, 32 KiB, swizzle 128"/);
  assert.equal(body.match(/class="slot"/g)?.length, 4 + 1 + 1);
  const [row] = body.match(/<tr id="r0-1">.*<\/tr>/) ?? [];
  const cells = [...(row ?? "").matchAll(/<td[^>]*>(.*?)<\/td>/g)].map((cell) => cell[1]?.replace(/<[^>]*>/g, ""));
  assert.deepEqual(cells, ["output_s", "f16 [64, 64]", "1024", "8192", "3.5 %", "1", "–", "none", "128", "lhs_s"]);
  assert.match(style, /#m0-0 \{ left: 0\.0000%; width: 79\.9064%; top: 0px; \}/);
  assert.match(style, /#m0-1 \{ left: 2\.4971%; width: 19\.9766%; top: 52px; \}/);
});

test("what is in the way is told, above the layout before", () => {
  const range = { start: { line: 6, character: 0 }, end: { line: 6, character: 1 } };
  const diagnostics = [{ code: "x", severity: "error", message: "a < b", range }];
  assert.match(sharedMemoryPage("k.co", { ...LAYOUT, kernels: [], diagnostics }, ABOUT).body, /line 7<\/button>: a &lt; b/);
  const broken = latest({ ...LAYOUT, kernels: [], diagnostics }, LAYOUT);
  assert.match(sharedMemoryPage("k.co", broken, ABOUT).body, /a &lt; b[^]*lhs_s/);
  assert.deepEqual(latest({ ...LAYOUT, kernels: [] }, LAYOUT).kernels, [], "the kernel was deleted");
  const { body } = sharedMemoryPage("k.co", LAYOUT, ABOUT, "there is no server");
  assert.ok(body.indexOf("there is no server") < body.indexOf("lhs_s"));
  assert.match(sharedMemoryPage("k.co", { ...LAYOUT, kernels: [] }, ABOUT).body, /There is no kernel here/);
  const bare = { ...LAYOUT.kernels[0]!, bytes: 0, tensors: [] };
  assert.match(sharedMemoryPage("k.co", { ...LAYOUT, kernels: [bare] }, ABOUT).body, /It uses no shared memory/);
});

test("names cannot break out of the page", () => {
  const hostile = tensor('"><script>x</script>', 0, 16);
  const { body } = sharedMemoryPage("<b>.co", { ...LAYOUT, kernels: [{ ...LAYOUT.kernels[0]!, tensors: [hostile] }] }, ABOUT);
  assert.doesNotMatch(body, /<script|<b>/);
  for (const kernel of [{ kernel: "<b>", function: "<b>" }, { kernel: "<b>", function: "f" }]) {
    assert.doesNotMatch(sharedMemoryPage("k.co", { ...LAYOUT, kernels: [{ ...LAYOUT.kernels[0]!, ...kernel }] }, ABOUT).body, /<b>/);
  }
  assert.equal(text('<a href="x">&'), "&lt;a href=&quot;x&quot;&gt;&amp;");
  assert.equal(say({ a: '"' }), 'data-say="{&quot;a&quot;:&quot;\\&quot;&quot;}"');
});

test("the page loads nothing, and its number is used once", () => {
  const [one, two] = [html({ title: "t", style: "", body: "" }), html({ title: "t", style: "", body: "" })];
  const policy = /content="default-src 'none'; style-src 'nonce-(\w{32})'; script-src 'nonce-\1'; base-uri 'none'; form-action 'none'"/;
  assert.notEqual(policy.exec(one)?.[1], policy.exec(two)?.[1]);
  assert.equal(one.match(/<script nonce="\w{32}">/g)?.length, 1);
  assert.doesNotMatch(one, /https?:|unsafe|style="/);
  assert.deepEqual([isReady({ ready: true }), isReady(null), isReady({ line: 1 })], [true, false, false]);
});
