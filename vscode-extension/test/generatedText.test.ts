import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, expanded, generatedLines, refused, runs, shown, sourceLines, stage, type Subject, subjectOf } from "../src/generatedText.js";
import type { Range } from "../src/lsp.js";
import type { Finding, Generated } from "../src/requests.js";

const range = (from: number, to: number): Range => ({ start: { line: from, character: 2 }, end: { line: to, character: 3 } });
const finding = (line: number, message: string): Finding => ({ code: "x", severity: "error", message, range: range(line, line) });

/** Lines 0 and 1 stand for a loop over lines 4 to 20, 2 for a copy over 5 and 6, 3 for nothing. */
const ANSWER: Generated = {
  code: {
    text: "for\n{\ncopy\n}\n",
    lines: [
      { line: 0, range: range(4, 20) },
      { line: 1, range: range(4, 20) },
      { line: 2, range: range(5, 6) },
    ],
    diagnostics: [],
  },
  sources: [
    { line: 4, lines: [0, 1] },
    { line: 5, lines: [2] },
  ],
};

test("an address leads back to its subject, and its tab says function and form", () => {
  const subject: Subject = { source: "file:///a%20b/k%201.co", entry: "matmul", form: "ptx" };
  const { path, query } = addressOf(subject);
  assert.equal(path, "/matmul.ptx");
  assert.deepEqual(subjectOf(query), subject);
  assert.equal(addressOf({ source: "file:///a%20b/k%201.co", form: "cuda" }).path, "/k 1.cu");
  assert.equal(addressOf({ source: "untitled:Untitled-1", form: "sass" }).path, "/Untitled-1.sass");
});

test("the second function of a name has an address and a tab of its own", () => {
  const subject: Subject = { source: "file:///k.co", entry: "f", overload: 1, form: "cuda" };
  const { path, query } = addressOf(subject);
  assert.equal(path, "/f (2).cu");
  assert.deepEqual(subjectOf(query), subject);
  assert.notEqual(query, addressOf({ ...subject, overload: 0 }).query);
});

test("a stage and an expansion are told apart by their tabs", () => {
  const source = "file:///a/k.co";
  const ir: Subject = { source, form: "ir", part: "layout" };
  const use: Subject = { source, form: "expansion", part: "LOAD", at: { line: 3, character: 4 }, version: 7 };
  assert.deepEqual([ir, use].map((one) => addressOf(one).path), ["/k.layout.ir", "/LOAD.expanded"]);
  assert.deepEqual([ir, use].map((one) => subjectOf(addressOf(one).query)), [ir, use]);
  assert.equal(addressOf({ source, form: "ast" }).path, "/k.ast");
});

test("lines of a stage lead both ways", () => {
  const lines = ANSWER.code.lines;
  const text = shown(stage({ stages: ["ast"], text: "a\nb\nc\n", lines, sources: ANSWER.sources }), "ast");
  assert.equal(text.text, "a\nb\nc\n");
  assert.deepEqual(generatedLines(text, 5), [2]);
  assert.deepEqual(sourceLines(text, 1), [4]);
  const none = shown(stage({ stages: [], text: "", lines: [], sources: [] }), "ast").text;
  assert.equal(none, "// No syntax tree for the source as it stands:\n//   there is no kernel in it\n");
});

test("an expansion stands below its use, and all of it goes with that", () => {
  const text = expanded({ name: "LOAD", use: "LOAD(x,\r\n     y)", range: range(7, 8), text: "copy;\n{\n  sync;\n}" });
  assert.equal(text.text, "// line 8:\n// LOAD(x,\n// y)\n// becomes\n\ncopy;\n{\n  sync;\n}\n");
  assert.deepEqual(generatedLines(text, 7), [5, 6, 7, 8]);
  assert.deepEqual(sourceLines(text, 7), [7, 8]);
  assert.deepEqual(sourceLines(text, 2), []);
  const nothing = expanded({ name: "E", use: "E", range: range(1, 1), text: "" });
  assert.equal(nothing.text, "// line 2:\n// E\n// becomes nothing\n");
  assert.deepEqual(generatedLines(nothing, 1), []);
});

test("an address that was not made here has no subject", () => {
  for (const query of ["", "{", "3", "null", '{"source": 3, "form": "cuda"}', '{"source": "x", "form": "toString"}']) {
    assert.equal(subjectOf(query), undefined, query);
  }
});

test("lines lead both ways", () => {
  const text = shown(ANSWER, "cuda");
  assert.deepEqual(generatedLines(text, 4), [0, 1]);
  assert.deepEqual(generatedLines(text, 5), [2]);
  assert.deepEqual(generatedLines(text, 6), [2], "the second line of a statement");
  assert.deepEqual(generatedLines(text, 12), [], "the body of a loop is not its head");
  assert.deepEqual(sourceLines(text, 2), [5, 6]);
  assert.deepEqual(sourceLines(text, 1), [4], "a statement with a body is its first line");
  assert.deepEqual(sourceLines(text, 3), []);
});

test("notes stand in front and move the lines", () => {
  const text = shown({ ...ANSWER, code: { ...ANSWER.code, diagnostics: [finding(8, "slow")] } }, "cuda");
  assert.equal(text.text, "// note, line 9: slow\nfor\n{\ncopy\n}\n");
  assert.deepEqual(generatedLines(text, 5), [3]);
  assert.deepEqual(sourceLines(text, 3), [5, 6]);
});

test("a refusal keeps the text before, once, and lights nothing in it", () => {
  const broken: Generated = { code: { text: "", lines: [], diagnostics: [finding(2, "';' is missing")] }, sources: [] };
  const first = shown(broken, "cuda", shown(ANSWER, "cuda"));
  const head = "// No CUDA for the source as it stands:\n";
  const stale = "// What follows is of the text before.\n\nfor\n{\ncopy\n}\n";
  assert.equal(first.text, `${head}//   line 3: ';' is missing\n${stale}`);
  assert.equal(first.text.split("\n")[first.staleFrom ?? 0], "for");
  assert.deepEqual(generatedLines(first, 4), []);
  const second = refused(["the server\nended"], "cuda", first);
  assert.equal(second.text, `${head}//   the server\n//   ended\n${stale}`);
  assert.equal(second.text.split("\n")[second.staleFrom ?? 0], "for");
});

test("a refusal without a text before, however often", () => {
  const once = refused(["no server"], "sass");
  assert.equal(once.text, "// No SASS for the source as it stands:\n//   no server\n");
  assert.equal(refused(["no server"], "sass", once).text, once.text);
  const none: Generated = { code: { text: "", lines: [], diagnostics: [] }, sources: [] };
  assert.equal(shown(none, "ptx").text, "// No PTX for the source as it stands:\n//   there is no kernel in it\n");
});

test("neighbouring lines are one run", () => {
  assert.deepEqual(runs([7, 3, 4, 9, 4, 8]), [[3, 4], [7, 9]]);
  assert.deepEqual(runs([]), []);
});

test("an address with a percent sign that escapes nothing has a name, too", () => {
  assert.equal(addressOf({ source: "untitled:100%.co", form: "cuda" }).path, "/100%.cu");
});
