/** A fresh profile on a machine whose Python has no croqtile-tools: no server, no card. */
import * as assert from "node:assert/strict";
import * as vscode from "vscode";

import { commandTests } from "./commands.js";
import { closeAll, extension, open, servers } from "./editor.js";
import { suite, until } from "./suite.js";
import { execute, Watch } from "./watch.js";

const watch = new Watch();

export const run = suite({
  "one message says what is missing, with what to do about it": async () => {
    const document = await open("add.co");
    assert.equal(document.languageId, "croqtile");
    await extension().activate();
    await until("a message", () => watch.messages.length > 0);
    assert.deepEqual(watch.messages.map((one) => one.kind), ["warning"]);
    assert.match(watch.messages[0]!.text, /^Croqtile: Python 3\.\d+\.\d+ \(\/.*\/python3\) has no croqtile-tools/);
    assert.notEqual(watch.messages[0]!.buttons.length, 0);
    assert.deepEqual(servers(), []);
    watch.clear();
  },

  "snippets need no server": async () => {
    const document = await open("add.co");
    const list = await execute<vscode.CompletionList>("vscode.executeCompletionItemProvider", document.uri, new vscode.Position(0, 0));
    const labels = list.items.map((item) => (typeof item.label === "string" ? item.label : item.label.label));
    assert.ok(labels.includes("1p1c"), labels.join(", "));
    await closeAll();
  },

  ...commandTests(watch, "a kernel in front", () => open("add.co")),
  ...commandTests(watch, "nothing in front", closeAll),
});
