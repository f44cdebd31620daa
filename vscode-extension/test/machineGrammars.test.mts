// The grammars of PTX and SASS, on lines as NVRTC and nvdisasm print them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { grammarOf, scopesOf } from "./engine.mjs";

const ptx = await grammarOf("source.ptx.nvidia", { "source.ptx.nvidia": readFileSync("../syntaxes/ptx.tmLanguage.json", "utf8") });
const sass = await grammarOf("source.sass.nvidia", { "source.sass.nvidia": readFileSync("../syntaxes/sass.tmLanguage.json", "utf8") });

/** What is coloured of a line: text and scope without the language, punctuation left out. */
function coloured(grammar: typeof ptx, line: string): string[] {
  return scopesOf(grammar, line)
    .filter(([, scope]) => !scope.startsWith("source."))
    .map(([part, scope]) => `${part} ${scope.replace(/\.(ptx|sass)$/, "")}`);
}

test("a PTX instruction: its name, what modifies it, its types, registers and numbers", () => {
  assert.deepEqual(coloured(ptx, "\tadd.s32 \t%r1, %rd2, -64;"), [
    "add support.function.instruction",
    ".s32 storage.type",
    "%r1 variable.other.register",
    "%rd2 variable.other.register",
    "-64 constant.numeric",
  ]);
  assert.deepEqual(coloured(ptx, "mbarrier.try_wait.parity.shared::cta.b64 p, [%r12], %r10;"), [
    "mbarrier support.function.instruction",
    ".try_wait storage.modifier",
    ".parity storage.modifier",
    ".shared::cta storage.modifier",
    ".b64 storage.type",
    "%r12 variable.other.register",
    "%r10 variable.other.register",
  ]);
  assert.deepEqual(coloured(ptx, "mov.f32 \t%f1, 0f3F800000;").slice(-1), ["0f3F800000 constant.numeric"]);
});

test("PTX branches, labels and predicates", () => {
  assert.deepEqual(coloured(ptx, "\t@!%p2 bra \t$L__BB0_2;"), [
    "@! keyword.operator.predicate",
    "%p2 variable.other.register",
    "bra keyword.control.flow",
    "$L__BB0_2 entity.name.label",
  ]);
  assert.deepEqual(coloured(ptx, "$L__BB0_2:"), ["$L__BB0_2 entity.name.label"]);
  assert.deepEqual(coloured(ptx, "\tret;"), ["ret keyword.control.flow"]);
});

test("PTX directives, functions and what the machine keeps in registers", () => {
  assert.deepEqual(coloured(ptx, ".visible .entry matmul("), [
    ".visible keyword.control.directive",
    ".entry keyword.control.directive",
    "matmul entity.name.function",
  ]);
  assert.deepEqual(coloured(ptx, "\t.param .align 64 .b8 matmul_param_0[128],"), [
    ".param keyword.control.directive",
    ".align keyword.control.directive",
    "64 constant.numeric",
    ".b8 storage.type",
    "128 constant.numeric",
  ]);
  assert.deepEqual(coloured(ptx, "mov.u32 %r1, %tid.x;").slice(-1), ["%tid.x variable.language"]);
  assert.deepEqual(coloured(ptx, "// begin inline asm"), ["// begin inline asm comment.line.double-slash"]);
});

test("a SASS instruction: its place, predicate, name, operands", () => {
  assert.deepEqual(coloured(sass, "        /*0060*/               @!P0 BRA `(.L_x_1) ;"), [
    "/*0060*/ comment.block",
    "@! keyword.operator.predicate",
    "P0 variable.other.register",
    "BRA keyword.control.flow",
    ".L_x_1 entity.name.label",
  ]);
  assert.deepEqual(coloured(sass, "        /*0d10*/                   LOP3.LUT R0, R6.reuse, 0xffffffc0, RZ, !PT ;"), [
    "/*0d10*/ comment.block",
    "LOP3 support.function.instruction",
    ".LUT storage.modifier",
    "R0 variable.other.register",
    "R6 variable.other.register",
    ".reuse storage.modifier",
    "0xffffffc0 constant.numeric",
    "RZ variable.other.register",
    "PT variable.other.register",
  ]);
  assert.deepEqual(coloured(sass, "        /*0070*/                   S2UR UR6, SR_TID.X ;").slice(1), [
    "S2UR support.function.instruction",
    "UR6 variable.other.register",
    "SR_TID.X variable.language",
  ]);
  assert.deepEqual(coloured(sass, "        /*0000*/                   LDC R1, c[0x0][0x28] ;").slice(3), [
    "c[0x0] variable.parameter.constant-bank",
    "0x28 constant.numeric",
  ]);
});

test("SASS labels, directives and headings", () => {
  assert.deepEqual(coloured(sass, ".L_x_18:"), [".L_x_18 entity.name.label"]);
  assert.deepEqual(coloured(sass, "\t.section\t.text.matmul,\"ax\",@progbits").slice(0, 1), [".section keyword.control.directive"]);
  assert.deepEqual(coloured(sass, "//------- .text.matmul ----"), ["//------- .text.matmul ---- comment.line.double-slash"]);
});
