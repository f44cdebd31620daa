import assert from "node:assert/strict";
import { test } from "node:test";

import { kernels, type Outlined } from "../src/views/kernelTree.js";

const selectionRange = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };
const symbol = (name: string, kind: number, ...children: Outlined[]): Outlined => ({ name, detail: `type of ${name}`, kind, selectionRange, children });

test("events stand before buffers, parameters and macros are left out", () => {
  const outline = [
    symbol("TILE", 13),
    symbol("matmul", 11, symbol("lhs", 12), symbol("lhs_s", 17), symbol("full", 23), symbol("rhs_s", 17), symbol("empty", 23)),
    symbol("other", 11),
  ];
  const found = kernels(outline);
  assert.deepEqual(found.map((one) => [one.kind, one.name]), [["kernel", "matmul"], ["kernel", "other"]]);
  assert.deepEqual(found[0]?.children.map((one) => [one.kind, one.name, one.detail]), [
    ["event", "full", "type of full"],
    ["event", "empty", "type of empty"],
    ["buffer", "lhs_s", "type of lhs_s"],
    ["buffer", "rhs_s", "type of rhs_s"],
  ]);
  assert.equal(found[0]?.range, selectionRange);
});
