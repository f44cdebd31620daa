// The TextMate grammar, run by VS Code's own engine. `source.cpp` is a stand-in whose braces and strings nest, so
// that C++ which is cut in the middle would swallow what follows if the grammar let it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { grammarOf, scopesOf } from "./engine.mjs";

const GRAMMAR = readFileSync("../syntaxes/croqtile.tmLanguage.json", "utf8");
const CPP = JSON.stringify({
  scopeName: "source.cpp",
  patterns: [
    { name: "comment.line.cpp", match: "//.*$" },
    { name: "string.quoted.cpp", begin: '"', end: '"' },
    { name: "meta.block.cpp", begin: "\\{", end: "\\}", patterns: [{ include: "$self" }] },
    { name: "storage.type.cpp", match: "\\b(int|float|void|namespace)\\b" },
    { name: "keyword.control.cpp", match: "\\b(return|if|for)\\b" },
  ],
});

const grammar = await grammarOf("source.croqtile", { "source.croqtile": GRAMMAR, "source.cpp": CPP });
const scopes = (text: string): [string, string][] => scopesOf(grammar, text);

/** The scope of the first token with this text, without the language at its end. */
function scopeOf(text: string, part: string): string {
  const hit = scopes(text).find(([other]) => other === part);
  assert.ok(hit, `no token '${part}' in ${JSON.stringify(scopes(text))}`);
  return hit[1];
}

const inside = (body: string): string => `__co__ void f(s32 n) {\n${body}\n}\nint after;`;

test("host text is C++ before, between and after functions", () => {
  const text = "int a;\n__co__ void f() {}\nint b;\n__co__ void g() {}\nint c;";
  const words = scopes(text).filter(([part]) => part === "int");
  assert.deepEqual(words, [
    ["int", "storage.type.cpp"],
    ["int", "storage.type.cpp"],
    ["int", "storage.type.cpp"],
  ]);
});

test("a function header", () => {
  const text = "__co__ auto matmul(global f16 [M, 2 * 32] lhs, f8_e4m3 [N]& out, stream s) {}";
  assert.equal(scopeOf(text, "__co__"), "keyword.other.region.croqtile");
  assert.equal(scopeOf(text, "auto"), "storage.type.croqtile");
  assert.equal(scopeOf(text, "matmul"), "entity.name.function.croqtile");
  assert.equal(scopeOf(text, "global"), "storage.modifier.croqtile");
  assert.equal(scopeOf(text, "f8_e4m3"), "storage.type.croqtile");
  assert.equal(scopeOf(text, "32"), "constant.numeric.integer.croqtile");
});

test("operations, modifiers and members", () => {
  const text = inside("h = tma.load.async.evict_last.swiz<128> src.subspan(8, TILE_K).at(b, 0) => ring[0];");
  for (const word of ["tma", "load", "async", "evict_last", "swiz"]) {
    assert.equal(scopeOf(text, word), "keyword.other.operation.croqtile", word);
  }
  assert.equal(scopeOf(text, "subspan"), "support.function.member.croqtile");
  assert.equal(scopeOf(text, "at"), "support.function.member.croqtile");
  assert.equal(scopeOf(text, "=>"), "keyword.operator.dataflow.croqtile");
  assert.equal(scopeOf(text, "TILE_K"), "variable.other.constant.croqtile");
});

test("levels count only behind a colon", () => {
  assert.equal(scopeOf(inside("parallel w by 2 : group-4 {}"), "group-4"), "storage.modifier.level.croqtile");
  assert.equal(scopeOf(inside("parallel w by 2 : group {}"), "group"), "storage.modifier.level.croqtile");
  assert.ok(!scopes(inside("block = 1;")).some(([, scope]) => scope.includes("level")));
});

test("numbers", () => {
  const text = inside("x = 1.5f + 0xF0u + 42ll + 007;");
  assert.equal(scopeOf(text, "1.5f"), "constant.numeric.float.croqtile");
  assert.equal(scopeOf(text, "0xF0u"), "constant.numeric.hex.croqtile");
  assert.equal(scopeOf(text, "42ll"), "constant.numeric.integer.croqtile");
  assert.equal(scopeOf(text, "007"), "invalid.illegal.number.croqtile");
});

test("a contextual word is one only in its place", () => {
  assert.equal(scopeOf(inside("shared event e[2] = ready;"), "ready"), "keyword.other.contextual.croqtile");
  assert.equal(scopeOf(inside("[[maxnreg(88)]] parallel by 2 ;"), "maxnreg"), "keyword.other.contextual.croqtile");
  assert.ok(!scopes(inside("int ready; x = n + ready;")).some(([, scope]) => scope.includes("contextual")));
});

test("braces in strings and comments do not end a function", () => {
  const text = inside('println("}"); // }\n/* } */ wait e;');
  assert.equal(scopeOf(text, "wait"), "keyword.control.croqtile");
  assert.equal(scopes(text).at(-2)?.[1], "storage.type.cpp");
});

test("a C++ island is coloured as C++ and may be cut in the middle", () => {
  const text = inside('__cpp__("for (int i = 0; i < 4; ++i) { // \\"x\\"");\nwait e;\n__cpp__("}");\ntrigger e;');
  assert.equal(scopeOf(text, "int"), "storage.type.cpp");
  assert.equal(scopeOf(text, "wait"), "keyword.control.croqtile");
  assert.equal(scopeOf(text, "trigger"), "keyword.control.croqtile");
  assert.equal(scopes(text).at(-2)?.[1], "storage.type.cpp");
});

test("a raw island over several lines ends at its own tag", () => {
  const text = inside('__cpp__(R"X(int a = 1; {\nfloat b = f(")");\n)X");\nwait e;');
  assert.equal(scopeOf(text, "float"), "storage.type.cpp");
  assert.equal(scopeOf(text, "wait"), "keyword.control.croqtile");
});

test("directives, with a free text behind #error", () => {
  const text = inside("#if TILE > 4 && defined(X)\n#error can't\n#endif\n#define N 8\nwait e;");
  for (const word of ["if", "error", "endif", "define", "defined"]) {
    assert.equal(scopeOf(text, word), "keyword.control.directive.croqtile", word);
  }
  assert.equal(scopeOf(text, "N"), "entity.name.function.preprocessor.croqtile");
  assert.equal(scopeOf(text, "wait"), "keyword.control.croqtile");
});

test("comment directives stand out in host text and in functions", () => {
  const line = '// croq: run M=512 seed=7 name="small"';
  for (const text of [`${line}\n__co__ void f() {}`, inside(line)]) {
    assert.equal(scopeOf(text, "croq:"), "keyword.control.comment-directive.croqtile");
    assert.equal(scopeOf(text, "run"), "keyword.control.comment-directive.croqtile");
    assert.equal(scopeOf(text, "seed"), "variable.parameter.croqtile");
    assert.equal(scopeOf(text, '"small"'), "string.quoted.double.croqtile");
  }
});

test("device text and device blocks", () => {
  const text = "__device__ float scale;\n__cok__ {\n  float g() { return 1; }\n}\n__co__ void f() { wait e; }";
  assert.equal(scopeOf(text, "__device__"), "keyword.other.region.croqtile");
  assert.equal(scopeOf(text, "__cok__"), "keyword.other.region.croqtile");
  assert.equal(scopeOf(text, "return"), "keyword.control.cpp");
  assert.equal(scopeOf(text, "wait"), "keyword.control.croqtile");
});

test("a function inside C++ braces is found", () => {
  const text = "namespace x {\n__co__ void f() { wait e; }\nint y;\n}\nint z;";
  assert.equal(scopeOf(text, "wait"), "keyword.control.croqtile");
  assert.equal(scopes(text).filter(([, scope]) => scope === "storage.type.cpp").length, 3);
});

test("a marker in a comment, a string or a longer word starts nothing", () => {
  const text = '// __co__ void\nchar *s = "__co__ x";\nint run__co__now;';
  assert.ok(!scopes(text).some(([, scope]) => scope === "keyword.other.region.croqtile"));
});

test("a prototype, which is an error, does not swallow the rest", () => {
  assert.equal(scopeOf("__co__ void f(s32 n);\nfloat x;", "float"), "storage.type.cpp");
});

test("a call names its function", () => {
  const text = inside("call croq::cuda::setreg_inc(40); x = __exp(y) + __lib_foo(z);");
  assert.equal(scopeOf(text, "croq::cuda::setreg_inc"), "entity.name.function.croqtile");
  assert.equal(scopeOf(text, "__exp"), "support.function.builtin.croqtile");
  assert.equal(scopeOf(text, "__lib_foo"), "support.function.builtin.croqtile");
});
