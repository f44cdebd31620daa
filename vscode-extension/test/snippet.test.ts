import assert from "node:assert/strict";
import { test } from "node:test";

import { plainText } from "../src/snippet.js";

test("every place-holder stands at its default, repetitions too", () => {
  assert.equal(plainText(["f(${1:name}, ${2:64});", "  $1[k % $2]$0"]), "f(name, 64);\n  name[k % 64]");
});

test("a repetition in front of its definition", () => {
  assert.equal(plainText(["$4 ${4:x}"]), "x x");
});
