import assert from "node:assert/strict";
import { test } from "node:test";

import { type Change, moved } from "../src/moves.js";

const AT = { line: 5, character: 8 };
const change = (from: readonly [number, number], to: readonly [number, number], text: string): Change => ({
  range: { start: { line: from[0], character: from[1] }, end: { line: to[0], character: to[1] } },
  text,
});

for (const [name, one, line, character] of [
  ["behind it", change([5, 9], [7, 0], "x\ny"), 5, 8],
  ["a line above", change([2, 0], [2, 0], "x\r\n"), 6, 8],
  ["two lines less", change([1, 3], [3, 0], ""), 3, 8],
  ["words before it in its line", change([5, 2], [5, 4], "abcde"), 5, 11],
  ["at the place itself", change([5, 8], [5, 8], "(\n  "), 6, 2],
  ["its line joined with the one above", change([4, 6], [5, 2], ""), 4, 12],
  ["around it", change([5, 4], [5, 20], "x"), 5, 4],
] as const) {
  test(`a place moves with an edit ${name}`, () => assert.deepEqual(moved(AT, [one]), { line, character }));
}

test("several edits at once are all of the text before, the last one first", () => {
  assert.deepEqual(moved(AT, [change([9, 0], [9, 0], "\n"), change([5, 0], [5, 8], "ab"), change([0, 0], [1, 0], "")]), {
    line: 4,
    character: 2,
  });
});
