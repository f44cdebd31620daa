/** A workspace of two roots with settings of their own, a third inside the second, and a file outside all. */
import * as assert from "node:assert/strict";
import * as path from "node:path";
import * as vscode from "vscode";

import { closeAll, open, rules, servers, untilServed } from "./editor.js";
import { suite, until } from "./suite.js";
import { execute, Watch } from "./watch.js";

const watch = new Watch();
const OLDER = "older-form";

async function checked(document: vscode.TextDocument): Promise<string[]> {
  await untilServed(document);
  await until("notes", () => rules(document.uri).includes("dynamic-shared-memory"));
  return rules(document.uri);
}

/** Now and then this editor finds its own file empty while it starts; it follows one that is written anew. */
async function untilThreeRoots(): Promise<void> {
  const file = vscode.workspace.workspaceFile!;
  const text = await vscode.workspace.fs.readFile(file);
  await until("three roots", async () => {
    if (vscode.workspace.workspaceFolders?.length === 3) {
      return true;
    }
    await vscode.workspace.fs.writeFile(file, Buffer.concat([text, Buffer.from("\n")]));
    await new Promise((resolve) => setTimeout(resolve, 500));
    return false;
  });
}

export const run = suite({
  "each root has its own settings": async () => {
    await untilThreeRoots();
    const lenient = await open("k.co", 0);
    assert.ok(!(await checked(lenient)).includes(OLDER));
    const strict = await open("k.co", 1);
    await until("the strict root's warning", () => rules(strict.uri).includes(OLDER));
    assert.ok(!rules(lenient.uri).includes(OLDER));
    assert.equal(servers().length, 1);
  },

  "a root inside another has those of its own": async () => {
    const nested = await open("k.co", 2);
    assert.ok(!(await checked(nested)).includes(OLDER));
  },

  "a file outside all roots has those of the workspace": async () => {
    const file = vscode.Uri.file(path.join(path.dirname(vscode.workspace.workspaceFile!.fsPath), "outside.co"));
    await execute("vscode.open", file);
    await until("an editor", () => vscode.window.activeTextEditor?.document.uri.fsPath === file.fsPath);
    assert.ok(!(await checked(vscode.window.activeTextEditor!.document)).includes(OLDER));
  },

  "a change in one root changes that root alone": async () => {
    const strict = await open("k.co", 1);
    const lenient = await open("k.co", 0);
    const settings = vscode.workspace.getConfiguration("croqtile", lenient.uri);
    await settings.update("dialect", "current", vscode.ConfigurationTarget.WorkspaceFolder);
    await until("the warning in the first root", () => rules(lenient.uri).includes(OLDER));
    await vscode.workspace.getConfiguration("croqtile", strict.uri).update("dialect", "any", vscode.ConfigurationTarget.WorkspaceFolder);
    await until("none in the second", () => !rules(strict.uri).includes(OLDER));
    assert.ok(rules(lenient.uri).includes(OLDER));
    assert.deepEqual(watch.messages, []);
    await closeAll();
  },
});
