import assert from "node:assert/strict";
import { test } from "node:test";

import { Refusal } from "../src/refusal.js";
import type { SharedMemory } from "../src/requests.js";
import { SharedMemoryState } from "../src/views/sharedMemoryState.js";

const RANGE = { start: { line: 4, character: 0 }, end: { line: 4, character: 9 } };
const TENSOR = { name: "s", range: RANGE, element: "f16", shape: [64], offset: 0, bytes: 128, slots: 1, stride: 128, swizzle: 0, alignment: 128 };
const LAYOUT: SharedMemory = { arch: "sm_90a", kernels: [{ function: "f", kernel: "f", bytes: 128, limit: 1024, tensors: [TENSOR] }], diagnostics: [] };

/** A panel whose server answers so, one answer after the other; what it draws and warns of. */
function make(...answers: (SharedMemory | Error)[]) {
  const drawn: [SharedMemory | undefined, string | undefined][] = [];
  const warned: string[] = [];
  const state = new SharedMemoryState({
    ask: async () => {
      const answer = answers.shift();
      if (answer === undefined || answer instanceof Error) {
        throw answer ?? new Error("asked too often");
      }
      return answer;
    },
    draw: (layout, said) => drawn.push([layout, said]),
    warn: (text) => warned.push(text),
  });
  return { state, drawn, warned };
}

test("it waits in words, then shows the layout, and lights what is declared on a line", async () => {
  const { state, drawn } = make(LAYOUT);
  assert.deepEqual(drawn, [[undefined, "Waiting for the language server…"]]);
  assert.deepEqual(state.litBy(4), []);
  await state.renew();
  assert.deepEqual(drawn.slice(1), [[LAYOUT, undefined]]);
  assert.notEqual(state.litBy(4).length, 0);
  assert.deepEqual([state.litBy(5), state.litBy(undefined)], [[], []]);
});

test("where there is no new layout the old one stays, with the reason; only a fault is for the output", async () => {
  const { state, drawn, warned } = make(LAYOUT, new Refusal("no server"), new TypeError("broken"), LAYOUT);
  await state.renew();
  await state.renew();
  assert.deepEqual([drawn.at(-1), warned], [[LAYOUT, "no server"], []]);
  await state.renew();
  assert.deepEqual([drawn.at(-1), warned], [[LAYOUT, "broken"], ["croqtile/sharedMemory: broken"]]);
  await state.renew();
  assert.deepEqual(drawn.at(-1), [LAYOUT, undefined]);
});

test("what comes for a panel that was closed is not drawn", async () => {
  const { state, drawn } = make(LAYOUT);
  const renewing = state.renew();
  state.close();
  await renewing;
  assert.equal(drawn.length, 1);
});
