import assert from "node:assert/strict";
import { test } from "node:test";

import { aboutThe, argumentsOf, calledIn, numbered, whichOf } from "../src/lsp.js";

const URI = "file:///k.co";

test("what a lens hands over leads to its function and back", () => {
  const about = aboutThe(URI, "f", { overload: 1 });
  assert.deepEqual(about, { textDocument: { uri: URI }, entry: "f", overload: 1 });
  assert.deepEqual(argumentsOf(about), [URI, "f", { overload: 1 }]);
  assert.deepEqual(whichOf(about), { function: "f", overload: 1 });
  assert.deepEqual(whichOf(aboutThe(URI, "f")), { function: "f" });
  assert.equal(whichOf(aboutThe(URI, null, { overload: 1 })), null);
});

test("functions are numbered where others have their name, and called by that", () => {
  const [first, second, third] = [{ name: "f" }, { name: "g" }, { name: "f" }] as const;
  const all = [first, second, third];
  assert.deepEqual(all.map((one) => numbered(one, all)), [{ entry: "f", overload: 0 }, { entry: "g" }, { entry: "f", overload: 1 }]);
  assert.deepEqual(all.map((one) => calledIn(numbered(one, all))), ["f (1)", "g", "f (2)"]);
  assert.equal(calledIn({}), undefined);
});
