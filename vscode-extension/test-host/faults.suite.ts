/** What happens to the server while one works: it is killed, and its Python environment goes. */
import * as assert from "node:assert/strict";
import { existsSync, renameSync } from "node:fs";
import * as vscode from "vscode";

import { open, rules, servers, untilServed } from "./editor.js";
import { suite, until } from "./suite.js";
import { execute, Watch } from "./watch.js";

const watch = new Watch();
const root = (): string => vscode.workspace.workspaceFolders![0]!.uri.fsPath;
const AWAY_MS = 1500;

async function kill(): Promise<void> {
  const running = servers();
  running.forEach((number) => process.kill(number, "SIGKILL"));
  await until("the end of the server", () => !servers().some((number) => running.includes(number)));
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
}

export const run = suite({
  "a killed server comes back, and one message says so": async () => {
    const document = await open("k.co");
    await untilServed(document);
    await until("findings", () => rules(document.uri).includes("credit-deadlock"));
    const [before] = servers();
    await kill();
    await until("another server", () => servers().length === 1 && servers()[0] !== before);
    await untilServed(document);
    await until("findings again", () => rules(document.uri).includes("credit-deadlock"));
    await settle();
    assert.equal(watch.messages.length, 1, JSON.stringify(watch.messages));
    assert.equal(watch.messages[0]!.buttons.length, 1);
    watch.clear();
  },

  "a Python that goes away is told once, with the way out": async () => {
    await untilServed(await open("k.co"));
    renameSync(`${root()}/.venv`, `${root()}/gone`);
    await kill();
    await until("a message", () => watch.messages.length > 0);
    await settle();
    assert.equal(watch.messages.length, 1, JSON.stringify(watch.messages));
    assert.equal(watch.messages[0]!.buttons.length, 1, JSON.stringify(watch.messages));
    assert.deepEqual(servers(), []);
    watch.clear();
  },

  "restart finds the Python that is back": async () => {
    renameSync(`${root()}/gone`, `${root()}/.venv`);
    assert.ok(existsSync(`${root()}/.venv/bin/python`));
    await execute("croqtile.restartServer");
    await untilServed(await open("k.co"));
    await until("findings", () => rules(vscode.window.activeTextEditor!.document.uri).includes("credit-deadlock"));
    assert.deepEqual(watch.messages.map((one) => one.kind), ["information"]);
    watch.clear();
  },
});
