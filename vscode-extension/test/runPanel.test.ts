import assert from "node:assert/strict";
import { test } from "node:test";

import type { Past, RunEntry, RunRequest, RunResult, Verified } from "../src/runTypes.js";
import { frame } from "../src/views/runPanel/frame.js";
import { bodyOf } from "../src/views/runPanel/html.js";
import { busyOf, type Known, viewOf } from "../src/views/runPanel/model.js";
import type { Table } from "../src/views/runPanel/table.js";
import { entry, FAILS, HOLDS, HUNG, onCard, past, result } from "./someRuns.js";

const REQUEST: RunRequest = { textDocument: { uri: "file:///home/ada/k.co" }, entry: "f", task: "run" };

function known(shown: RunResult | undefined, history: readonly Past[] = [], more: Partial<Known> = {}): Known {
  return { request: REQUEST, file: "k.co", progress: undefined, running: false, result: shown, history, when: (at) => at.slice(0, 10), ...more };
}

const view = (runs: readonly RunEntry[], history: readonly Past[] = []) => viewOf(known(result(runs), history));
const texts = (table: Table | undefined) => table?.rows.map((row) => row.map((cell) => cell.text));

test("each verdict has its word and one sentence", () => {
  const said = (run: RunEntry): unknown[] => {
    const { word, tone, said: sentence } = view([run]).headline ?? {};
    return [word, tone, sentence];
  };
  assert.deepEqual(said(entry()), ["Verified", "good", "Every expectation holds."]);
  assert.deepEqual(said(entry({ verdict: "consistent" }))[0], "Consistent");
  assert.deepEqual(said(entry({ verdict: "wrong", expectations: [HOLDS, FAILS] })), [
    "Wrong",
    "bad",
    '`y ~= <x & "z">` does not hold: 1,200 of 4,096 elements differ.',
  ]);
  assert.deepEqual(said(HUNG), ["Stuck", "bad", "Stopped after 81.2 ms: path w == 0 waits for empty[1], generation 3; owed by path w == 1."]);
  assert.deepEqual(said(entry({ verdict: "crashed", message: "an index left" })), ["Crashed", "bad", "An index left"]);
  assert.deepEqual(said(entry({ verdict: "not-run", message: "it has errors" })), ["Not run", "none", "It has errors"]);
});

test("of several runs the worst is told, with how many ended so", () => {
  assert.equal(view([entry(), entry()]).headline?.said, "Every expectation holds in all 2 runs.");
  const { word, said } = view([entry(), entry({ verdict: "wrong", expectations: [FAILS] }), entry()]).headline ?? {};
  assert.equal(word, "Wrong");
  assert.match(said ?? "", /elements differ\. 1 of 3 runs ended so\.$/);
});

test("a run that did not come to an end says why, and offers the simulator where that would do", () => {
  const refused = viewOf(known(result([], { state: "refused", message: "there is no driver", offer: "sim", result: null })));
  assert.deepEqual(refused.headline, { word: "Not run", tone: "none", said: "There is no driver" });
  assert.equal(refused.offer, "sim");
  assert.match(bodyOf(refused), /class="action main" data-say="{&quot;do&quot;:&quot;sim&quot;}">Run in the Simulator</);
  assert.equal(viewOf(known(result([], { state: "cancelled", result: null }))).headline?.word, "Cancelled");
  assert.equal(viewOf(known(result([], { state: "failed", message: "it died", result: null }))).headline?.tone, "bad");
});

test("what the verdict keeps from the card has a button that runs it anyway", () => {
  const kept = entry({ verdict: "not-run", engine: "gpu", message: "its credit flow has an error", offer: "force" });
  const shown = viewOf(known(result([kept], { offer: "force" })));
  assert.match(bodyOf(shown), /class="action main" data-say="{&quot;do&quot;:&quot;force&quot;}">Run Anyway</);
  assert.equal(viewOf(known(result([kept], { offer: "force" }), [], { running: true })).offer, undefined);
  assert.equal(viewOf(known(result([], { state: "refused", offer: "doctor", result: null }))).offer, undefined);
  assert.equal(viewOf(known(result([entry()]))).offer, undefined);
});

test("while it runs there is progress and a way to end it, and nothing of the run before", () => {
  const progress = { id: 6, uri: "", message: "blocks", done: 250, total: 1000 };
  const shown = viewOf(known(result([entry()]), [], { running: true, progress }));
  assert.deepEqual(shown.busy, { text: "250 of 1,000 blocks", share: 0.25 });
  assert.equal(shown.headline, undefined);
  const html = bodyOf(shown);
  assert.match(html, /<progress id="bar" max="1" value="0\.25"/);
  assert.match(html, /data-say="{&quot;do&quot;:&quot;cancel&quot;}">Cancel</);
  assert.doesNotMatch(html, /Run Again/);
  assert.deepEqual(busyOf(undefined), { text: "Starting", share: undefined });
  assert.deepEqual(busyOf({ ...progress, message: "compiling", total: 0 }), { text: "Compiling", share: undefined });
});

test("a run is set against the last good one", () => {
  const before = past(onCard(512, 125), 2);
  const line = (run: RunEntry, history: readonly Past[]): string => view([run], history).compared.map(({ text }) => text).join();
  assert.equal(line(onCard(512, 100), [before]), "1.25 times as long as the last good run (2026-11-28: verified, 2.15 µs).");
  assert.equal(line(onCard(512, 100, { verdict: "wrong" }), [before]), "It was good before: 2026-11-28: verified, 2.15 µs.");
  assert.equal(line(HUNG, [before]), "Last good run of this kernel: 2026-11-28: verified, M=512 N=512 K=512, H200, 2.15 µs.");
  assert.equal(line(entry(), [past(entry())]), "Good before, too: 2026-11-28: verified.");
  assert.equal(line(entry(), []), "The first good run that is known of this kernel.");
  assert.equal(line(HUNG, [past(HUNG)]), "No good run of this kernel is known.");
});

test("a run of an earlier session is set against none: it would be called the first good one", () => {
  const kept = entry({ expectations: [], notes: ["this was run in an earlier session"] });
  const shown = viewOf(known(result([kept], { id: 0 }), [past(kept, 0), past(entry(), 0)]));
  assert.deepEqual([shown.headline?.word, shown.compared], ["Verified", []]);
  assert.deepEqual(shown.history?.rows.length, 2);
  assert.match(bodyOf(shown), /this was run in an earlier session/);
});

test("sizes stand side by side with what the card reaches", () => {
  const { overview } = view([onCard(512, 100), onCard(1024, 400)], [past(onCard(512, 125))]);
  assert.equal(overview?.caption, "Runs side by side, H200");
  assert.deepEqual(overview?.columns, ["Sizes", "Verdict", "Time", "TFLOP/s", "of cuBLAS", "GB/s", "of copy", "Against last good"]);
  assert.deepEqual(texts(overview), [
    ["M=512 N=512 K=512", "Verified", "2.68 µs", "100", "13 %", "586", "15 %", "1.25 × the time"],
    ["M=1024 N=1024 K=1024", "Verified", "5.37 µs", "400", "50 %", "1172", "29 %", ""],
  ]);
  assert.deepEqual(overview?.numbers, [2, 3, 4, 5, 6]);
  assert.equal(view([entry()]).overview, undefined);
  assert.deepEqual(view([entry({ name: "a" }), entry({ name: "b" })]).overview?.columns, ["Run", "Sizes", "Verdict", "Time"]);
});

test("worst elements say what was got, expected and allowed", () => {
  const [section] = view([entry({ verdict: "wrong", expectations: [FAILS, HOLDS, { ...HOLDS, rtol: 0, atol: 0 }] })]).sections;
  assert.deepEqual(texts(section?.worst), [
    ['y ~= <x & "z">', "[1, 2]", "4.25", "1.5", "2.75", "1"],
    ["y ~= x", "[1, 2]", "1", "1.5", "0.5", "1"],
  ]);
});

test("a hang leads to its lines", () => {
  const html = bodyOf(view([HUNG]));
  assert.match(html, /data-say="{&quot;line&quot;:23,&quot;character&quot;:10}">line 24<\/button> path w == 0 waits for empty\[1\], generation 3; owed by path w == 1/);
  assert.match(html, /path w == 1 waits for the others, generation 0<\/li>/);
});

test("a verification shows all three verdicts", () => {
  const flow = { verdict: "proved", text: "credit flow proved for every K" } as const;
  const one: Verified = { sim: entry({ name: "small" }), gpu: null, static: flow, ok: true, agree: true, said: "no card" };
  const shown = (more: Partial<Verified>) => viewOf(known(result([], { task: "verify", result: { verified: [{ ...one, ...more }] } })));
  assert.deepEqual(texts(shown({}).verification), [["f small", "credit flow proved for every K", "Verified", "not here", "yes"]]);
  assert.deepEqual(shown({}).sections[0]?.notes, ["Not on a card: no card"]);
  const torn = shown({ gpu: { ...HUNG, engine: "gpu" }, agree: false });
  assert.deepEqual(texts(torn.verification)?.[0]?.slice(2), ["Verified", "Stuck", "no: please report this kernel"]);
  const fails = shown({ static: { verdict: "fails", text: "credit flow fails" } });
  assert.deepEqual(fails.headline, { word: "Credit flow fails", tone: "bad", said: "Credit flow fails" });
});

test("the history names this run and compares the others with it", () => {
  const now = onCard(512, 100);
  const other = past(onCard(1024, 1, { function: "g" }));
  const { history } = view([now], [past(onCard(512, 125)), past(entry({ verdict: "wrong" })), other, past(now, 5)]);
  assert.deepEqual(history?.rows.map((row) => row.at(-1)?.text), ["this one", "", "1.25 × the time"]);
  assert.equal(view([now], [past(now, 5)]).history, undefined);
  const many = Array.from({ length: 40 }, () => past(now));
  assert.equal(view([now], many).history?.rows.length, 20);
});

test("what a kernel prints is shown, a lot of it in part", () => {
  assert.equal(view([entry({ prints: ["a\n", "b\n"] })]).sections[0]?.prints, "a\nb");
  assert.equal(view([entry({ prints: ["x".repeat(21_234)] })]).sections[0]?.prints.slice(19_959), "x\n… 1,274 more characters");
});

test("nothing of a text becomes HTML", () => {
  const evil = '<img src=x onerror="alert(1)">&';
  const run = entry({
    verdict: "wrong",
    function: evil,
    name: evil,
    expectations: [{ ...FAILS, text: evil }],
    message: evil,
    notes: [evil, "`<b>`"],
    prints: [evil],
    sizes: { M: evil },
  });
  const html = bodyOf(viewOf(known(result([run, { ...HUNG, hang: HUNG.hang.map((one) => ({ ...one, text: evil })) }]), [past(run), past(run)], { file: evil, request: { ...REQUEST, entry: evil } })));
  assert.doesNotMatch(html, /<img|<b>|onerror="/);
  assert.match(html, /&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt;&amp;/);
});

test("the plot says the same to who cannot see it", () => {
  const html = bodyOf(view([onCard(512, 100), onCard(1024, 400)]));
  assert.match(html, /<svg viewBox="0 0 640 300" role="img" aria-label="TFLOP\/s over size\. M=512 N=512 K=512: 100 TFLOP\/s; M=1024 N=1024 K=1024: 400 TFLOP\/s; cuBLAS reaches 800 TFLOP\/s">/);
  assert.match(html, /<li><svg [^>]*>.*?<\/svg>cuBLAS, f16, 8192³: 800 TFLOP\/s<\/li>/);
  assert.doesNotMatch(html, /NaN|undefined|Infinity/);
});

test("the page allows nothing but its own style and script", () => {
  const page = frame();
  const [, nonce] = /script-src 'nonce-(\w{32})'/.exec(page) ?? [];
  assert.ok(nonce !== undefined);
  assert.match(page, /content="default-src 'none'; style-src 'nonce-\w+'; script-src 'nonce-\w+'; base-uri 'none'; form-action 'none'"/);
  assert.deepEqual([...page.matchAll(/<(style|script)( nonce="(\w+)")?>/g)].map((found) => found[3]), [nonce, nonce]);
  assert.doesNotMatch(page, / style="| on\w+="|https?:/);
  assert.notEqual(frame(), page);
});
