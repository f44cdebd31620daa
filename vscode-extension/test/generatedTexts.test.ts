import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";

import type { Shown, Subject } from "../src/generatedText.js";
import { GeneratedTexts } from "../src/generatedTexts.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const SUBJECT: Subject = { source: "file:///k.co", form: "sass" };
const all = (): boolean => true;

/** An editor whose source is a text; each making waits for `begin`, reads it, and waits for `end`. */
function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const works: { begin: () => void; end: () => void }[] = [];
  const state = { source: "a", open: true, seen: true, renewed: 0 };
  const texts = new GeneratedTexts({
    async make(_, before, begun) {
      const work = { begin: () => {}, end: () => {} };
      works.push(work);
      const ended = new Promise<void>((resolve) => (work.end = resolve));
      await new Promise<void>((resolve) => (work.begin = resolve));
      begun();
      const text = `${before?.text ?? ""}${state.source}`;
      await ended;
      return { text, statements: new Map(), lines: new Map() } satisfies Shown;
    },
    isOpen: () => state.open,
    isSeen: () => state.seen,
    renewed: () => void state.renewed++,
  });
  /** Lets the last making go on. */
  const finish = async (): Promise<void> => {
    works.at(-1)?.begin();
    await turn();
    works.at(-1)?.end();
    await turn();
  };
  const edit = (source: string): void => {
    state.source = source;
    texts.changed((subject) => subject.source === SUBJECT.source);
  };
  /** Long enough for what was asked for to begin. */
  const wait = async (): Promise<void> => {
    t.mock.timers.tick(900);
    await turn();
  };
  return { texts, state, works, finish, edit, wait };
}

test("a text is made once, and again after a change", async (t) => {
  const { texts, state, works, finish, edit, wait } = scene(t);
  const asked = [texts.textOf("k", SUBJECT), texts.textOf("k", SUBJECT)];
  await finish();
  const [first, second] = await Promise.all(asked);
  assert.deepEqual([works.length, first?.text, second], [1, "a", first]);
  texts.changed((subject) => subject.source === "file:///other.co");
  await wait();
  assert.equal(works.length, 1);
  edit("b");
  await wait();
  await finish();
  const renewed = await texts.textOf("k", SUBJECT);
  assert.deepEqual([works.length, renewed.text, state.renewed], [2, "ab", 1]);
  assert.ok(renewed.made > (first?.made ?? Infinity));
});

test("an edit while a text is made for the first time is not lost", async (t) => {
  const { texts, state, works, finish, edit, wait } = scene(t);
  state.open = state.seen = false; // no document before it has a text
  const asked = texts.textOf("k", SUBJECT);
  works[0]?.begin();
  await turn();
  edit("b");
  works[0]?.end();
  assert.equal((await asked).text, "a");
  await wait();
  assert.equal(works.length, 1);
  state.open = state.seen = true;
  texts.opened("k");
  texts.catchUp();
  await wait();
  await finish();
  assert.deepEqual([works.length, texts.at("k")?.text, state.renewed], [2, "ab", 1]);
});

test("what changes before the text is asked for, as by the start of the server, is in it", async (t) => {
  const { texts, works, finish, edit, wait } = scene(t);
  const asked = texts.textOf("k", SUBJECT);
  edit("b");
  await finish();
  assert.equal((await asked).text, "b");
  texts.catchUp();
  await wait();
  assert.equal(works.length, 1);
});

test("a text that was made of an older source is dropped for the one that follows", async (t) => {
  const { texts, state, works, finish, edit, wait } = scene(t);
  void texts.textOf("k", SUBJECT);
  await finish();
  edit("b");
  await wait();
  works[1]?.begin();
  await turn();
  edit("c");
  await wait();
  works[1]?.end();
  await turn();
  assert.deepEqual([texts.at("k")?.text, state.renewed], ["a", 0]);
  await wait();
  await finish();
  assert.deepEqual([works.length, texts.at("k")?.text, state.renewed], [3, "ac", 1]);
});

test("what nobody sees is made when it is seen", async (t) => {
  const { texts, state, works, finish, edit, wait } = scene(t);
  void texts.textOf("k", SUBJECT);
  await finish();
  state.seen = false;
  edit("b");
  await wait();
  texts.catchUp();
  await wait();
  assert.equal(works.length, 1);
  state.seen = true;
  texts.catchUp();
  await wait();
  assert.equal(works.length, 2);
});

test("a tab that is closed while its text is made leaves none", async (t) => {
  const { texts, state, works, finish, wait } = scene(t);
  state.open = state.seen = false;
  const asked = texts.textOf("k", SUBJECT);
  texts.forget("k");
  await finish();
  await asked;
  assert.equal(texts.at("k"), undefined);
  const again = texts.textOf("k", SUBJECT);
  await finish();
  await again;
  assert.equal(texts.at("k")?.text, "a");
  texts.changed(all); // of the first one the editor told nothing
  await wait();
  assert.deepEqual([texts.at("k"), works.length, state.renewed], [undefined, 2, 0]);
  texts.opened("k");
  assert.equal(state.renewed, 1, "it was not closed: it is read again");
});

test("nothing is made after the end", async (t) => {
  const { texts, works, finish, edit, wait } = scene(t);
  void texts.textOf("k", SUBJECT);
  await finish();
  edit("b");
  texts.dispose();
  await wait();
  assert.equal(works.length, 1);
});
