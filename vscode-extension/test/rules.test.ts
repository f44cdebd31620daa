import assert from "node:assert/strict";
import { test } from "node:test";

import { dialectsOf, inFront, isRule, keptPage, migratedOf, migrationSaid, pageOf, type RuleRow, rulesOf } from "../src/rules.js";

const rule = (name: string): RuleRow => ({ name, severity: "error", summary: `about ${name}` });

test("rules at the cursor come first, each once", () => {
  assert.deepEqual(inFront([rule("a"), rule("b"), rule("c")], ["c", "x"]).map((one) => one.name), ["c", "a", "b"]);
});

test("answers of another shape are read as nothing", () => {
  assert.deepEqual(rulesOf({ rules: [rule("a"), 3, {}] }).map((one) => one.name), ["a"]);
  assert.deepEqual([rulesOf(null), rulesOf({ message: "x" })], [[], []]);
  assert.equal(pageOf({ message: "there is no rule 'x'" }), "there is no rule 'x'");
  assert.equal(pageOf(undefined), "there is no such rule");
  assert.deepEqual(pageOf({ rule: "a", text: "# a" }), { rule: "a", text: "# a" });
});

test("one sentence says what a migration did and what stays", () => {
  const done = migratedOf({ message: "moved to the current dialect", moved: 5, kept: ["line 7: the phase stays: it is read"] });
  assert.equal(migrationSaid(done, "k.co"), "k.co: moved to the current dialect, 5 changes; 1 place stays as it is");
  const none = migratedOf({ message: "there is nothing to move to the course dialect", kept: [] });
  assert.equal(migrationSaid(none, "k.co"), "k.co: there is nothing to move to the course dialect");
  assert.deepEqual(migratedOf(null), { message: "nothing was migrated", moved: 0, kept: [], skipped: 0 });
  assert.equal(migrationSaid({ message: "m", moved: 1, kept: ["a", "b"], skipped: 2 }, "k"), "k: m, 1 change; 2 places stay as they are; 2 functions with syntax errors cannot be read");
});

test("the report shows code as it is", () => {
  const page = keptPage({ message: "", moved: 0, kept: ["line 3: 'a[*b]' stays"], skipped: 0 }, "k.co", "course");
  assert.match(page, /^# What stays in k\.co\n/);
  assert.match(page, /\n- line 3: 'a\\\[\\\*b\\\]' stays\n$/);
});

test("the dialects are those that the server names", () => {
  assert.deepEqual(dialectsOf({ dialects: [{ name: "current", summary: "now" }, null, { summary: "x" }] }), [{ name: "current", summary: "now" }]);
  assert.deepEqual([undefined, null, {}, { dialects: 3 }].map(dialectsOf), [[], [], [], []]);
});

test("codes of other tools are no rules", () => {
  assert.deepEqual(["group-in-group-4", "zero-step", "4x", "E501", "", "a b"].filter(isRule), ["group-in-group-4", "zero-step"]);
});
