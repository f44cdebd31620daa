/** A workspace that nobody has trusted: the server is one from outside, and nothing of the workspace runs. */
import * as assert from "node:assert/strict";
import * as vscode from "vscode";

import { commandTests } from "./commands.js";
import { closeAll, extension, open, rules, servers, untilServed } from "./editor.js";
import { suite, until } from "./suite.js";
import { Watch } from "./watch.js";

const watch = new Watch();

export const run = suite({
  "the server of the PATH checks it": async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    await extension().activate();
    const document = await open("k.co");
    await untilServed(document);
    await until("findings", () => rules(document.uri).includes("credit-deadlock"));
    assert.equal(servers().length, 1);
    assert.deepEqual(watch.messages, []);
  },

  ...commandTests(watch, "a kernel in front", async () => untilServed(await open("k.co"))),
  ...commandTests(watch, "nothing in front", closeAll),
});
