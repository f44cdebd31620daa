/** Choose the Python environment that runs the server: those that the search knows, each tried, or a path. */
import { homedir } from "node:os";
import * as vscode from "vscode";

import { expandPath } from "../config.js";
import { localFolders, surroundings, writePython } from "../environment.js";
import { FILES } from "../files.js";
import type { Command, Parts } from "../parts.js";
import { runProcess } from "../process.js";
import { brief, type Candidate, candidates, describe, type Origin, probe, type Probe } from "../python.js";
import { Refusal } from "../refusal.js";
import { CREATE } from "../tidings.js";

const ORIGINS: Readonly<Record<Origin, string>> = {
  setting: "set in croqtile.python",
  workspace: "of this folder",
  "python-extension": "of the Python extension",
  path: "on the PATH",
};

interface Item extends vscode.QuickPickItem {
  readonly does: "use" | "search" | "path" | "create";
  readonly candidate?: Candidate;
}

const OTHERS: readonly Item[] = [
  { label: "", kind: vscode.QuickPickItemKind.Separator, does: "path" },
  { label: "$(folder) Enter a path…", does: "path" },
  { label: "$(add) Create an environment…", does: "create" },
];
const SEARCH: Item = { label: "$(search) Search anew each time", detail: "Clears the setting croqtile.python", does: "search" };

export const chooseEnvironment: Command = {
  id: "croqtile.chooseEnvironment",
  async run(parts) {
    const picked = await pick();
    switch (picked?.does) {
      case "use":
        await use(parts, picked.candidate);
        break;
      case "search":
        await writePython(undefined);
        break;
      case "path":
        await enterPath(parts);
        break;
      case "create":
        await vscode.commands.executeCommand(CREATE.command);
        break;
      case undefined:
        break;
    }
  },
};

async function tries(): Promise<{ readonly all: readonly Candidate[]; readonly set: boolean }> {
  const at = await surroundings();
  const set = candidates(at, FILES).filter((one) => one.origin === "setting");
  const found = candidates({ ...at, setting: undefined }, FILES);
  return { all: [...set, ...found.filter((one) => set.every((other) => other.command !== one.command))], set: at.setting !== undefined };
}

/** The list stands at once; what each one is comes as it is found out. */
async function pick(): Promise<Item | undefined> {
  const { all, set } = await tries();
  const others = set ? [...OTHERS, SEARCH] : OTHERS;
  const items: Item[] = all.map((one) => ({ label: one.command, description: ORIGINS[one.origin], detail: "…", does: "use", candidate: one }));
  const box = vscode.window.createQuickPick<Item>();
  box.placeholder = "Python environment for the language server";
  box.matchOnDetail = true;
  box.busy = true;
  box.items = [...items, ...others];
  const probed = all.map(async (one, at) => {
    items[at] = itemOf(await probe(one, runProcess));
    box.items = [...items, ...others];
  });
  void Promise.all(probed).then(() => (box.busy = false));
  try {
    return await new Promise((resolve) => {
      box.onDidAccept(() => resolve(box.selectedItems[0]));
      box.onDidHide(() => resolve(undefined));
      box.show();
    });
  } finally {
    box.dispose();
  }
}

function itemOf(found: Probe): Item {
  const { command, origin } = found.candidate;
  const icon = found.kind === "found" ? "$(pass)" : "$(circle-slash)";
  return { label: `${icon} ${command}`, description: ORIGINS[origin], detail: brief(found), does: "use", candidate: found.candidate };
}

async function use({ server }: Parts, candidate: Candidate | undefined): Promise<void> {
  if (candidate === undefined) {
    return;
  }
  const found = await probe(candidate, runProcess);
  if (found.kind !== "found") {
    throw new Refusal(describe(found), CREATE);
  }
  const [searched] = candidates(await surroundings(), FILES);
  if (searched?.command === candidate.command) {
    await server.restart("asked"); // it is what runs, or what should
  } else {
    await writePython(candidate.command);
  }
}

async function enterPath(parts: Parts): Promise<void> {
  const typed = await vscode.window.showInputBox({
    title: "Python interpreter",
    prompt: "Path of a Python 3.11 or newer that has croqtile-tools; ~ and ${workspaceFolder} are expanded",
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "Type a path" : undefined),
  });
  const command = typed === undefined ? undefined : expandPath(typed, { home: homedir(), workspaceFolder: localFolders()[0] });
  if (command === undefined) {
    return;
  }
  const [allowed] = candidates({ ...(await surroundings()), setting: command }, FILES);
  if (allowed === undefined) {
    throw new Refusal(describe({ kind: "nothing-to-try" }));
  }
  await use(parts, allowed);
}
