/** Runs on a machine without a card: a kernel that hangs, the run after it, two at once, the tests of the Test Explorer. */
import * as assert from "node:assert/strict";
import * as vscode from "vscode";

import { closeAll, open, placeOf, replaceAll, rules, untilServed } from "./editor.js";
import { suite, until } from "./suite.js";
import { execute, tabs, Watch } from "./watch.js";

const watch = new Watch();
const BOOTSTRAP = "        foreach {s} in [MATMUL_STAGES] {\n          trigger empty[s];\n        }\n";
const BEFORE = "        mc = mma.fill.f16 0.0f;\n";
/** How long the words "no card" may take, in ms. */
const PATIENCE_MS = 5_000;

async function kernel(): Promise<vscode.TextDocument> {
  const document = await open("k.co");
  await untilServed(document);
  return document;
}

/** The report of the last run, as an issue would have it. */
async function report(): Promise<string> {
  watch.clipboard = "";
  await execute("croqtile.copyReport");
  return until("a report", () => watch.clipboard);
}

function marksOf({ uri }: vscode.TextDocument): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(uri).filter((one) => one.message.startsWith("the run stood here: "));
}

/** The title of the lens that says what came of the last run, if there is one. */
async function runLens({ uri }: vscode.TextDocument): Promise<string | undefined> {
  const lenses = await execute<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri, 50);
  return lenses.find((lens) => lens.command?.command === "croqtile.showRun")?.command?.title;
}

export const run = suite({
  "a kernel that hangs says where, and its line is marked": async () => {
    const document = await kernel();
    await execute("croqtile.runSimulator");
    const said = await report();
    assert.match(said, /Stopped after \S+ m?s\n +- line \d+: path p1 == 0 waits for empty\[0\], generation 0/);
    const line = placeOf(document, "wait empty[stage]").line;
    await until("the run's mark", () => marksOf(document).some((one) => one.range.start.line === line));
    assert.deepEqual(watch.messages, []);
  },

  "the next run works, and the mark is gone": async () => {
    const document = await kernel();
    await replaceAll(document, document.getText().replace(BEFORE, BEFORE + BOOTSTRAP));
    await until("no findings", () => !rules(document.uri).includes("credit-deadlock"));
    await execute("croqtile.runSimulator");
    const said = await report();
    assert.equal(said.match(/^\*\*Verified\*\* /gm)?.length, 2);
    assert.deepEqual(marksOf(document), []);
    assert.deepEqual(watch.messages, []);
  },

  "what came of the last run stands over the kernel, also after an edit": async () => {
    const document = await kernel();
    await until("a lens", async () => (await runLens(document))?.startsWith("✓ verified · 2 runs"));
    await replaceAll(document, document.getText().replaceAll("full", "loaded"));
    await until("the edit in the lens", async () => (await runLens(document))?.startsWith("before an edit: "));
    await execute("undo");
    await until("the text that ran", async () => (await runLens(document))?.startsWith("✓ verified · 2 runs"));
  },

  "a second click while a run is under way does not begin another": async () => {
    await kernel();
    await Promise.all([execute("croqtile.runSimulator"), execute("croqtile.runSimulator")]);
    assert.deepEqual(
      watch.messages.map((one) => [one.kind, one.text, one.buttons]),
      [["information", "Croqtile: A run is under way; it goes on", ["Cancel Run"]]],
    );
    watch.clear();
  },

  "generated code is one tab that nobody can edit, however often it is asked for": async () => {
    await kernel();
    await execute("croqtile.showCuda");
    await execute("croqtile.showCuda");
    const made = await until("CUDA", () => vscode.workspace.textDocuments.find((one) => one.uri.scheme === "croqtile-generated"));
    await until("its text", () => made.getText().includes("mbarrier_arrive_expect"));
    assert.deepEqual(tabs().filter((tab) => tab.endsWith(".cu")), ["tab 2: k.cu"]);
    await execute("workbench.action.focusSecondEditorGroup");
    const before = made.getText();
    await execute("type", { text: "x" });
    assert.equal(made.getText(), before);
    assert.deepEqual(vscode.languages.getDiagnostics(made.uri), []);
    await execute("workbench.action.focusFirstEditorGroup");
  },

  "PTX and SASS are languages of their own": async () => {
    await kernel();
    for (const form of ["Ptx", "Sass"]) {
      await execute(`croqtile.show${form}`);
      await until(form, () => vscode.workspace.textDocuments.some((one) => one.languageId === `croqtile-${form.toLowerCase()}`));
    }
  },

  "without a card that is said soon, with the simulator as the way out": async () => {
    await kernel();
    const began = Date.now();
    void execute("croqtile.runGpu");
    await until("a message", () => watch.messages.length > 0);
    assert.ok(Date.now() - began < PATIENCE_MS, `${Date.now() - began} ms`);
    assert.deepEqual(watch.messages.map((one) => [one.kind, one.buttons]), [["warning", ["Run in the Simulator"]]]);
    watch.clear();
    await closeAll();
  },
});
