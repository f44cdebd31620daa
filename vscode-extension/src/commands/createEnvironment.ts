/** Create an environment with the package in it: asks where and what, shows the commands, runs them, starts the server. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

import { expandPath } from "../config.js";
import { localFolders, surroundings, writePython } from "../environment.js";
import { FILES } from "../files.js";
import { findMaker, interpreterOf, lacksPip, type Maker, PACKAGE, placed, runs, steps, typed, usable, wrongSource } from "../installing.js";
import type { Command, Parts } from "../parts.js";
import { runProcess } from "../process.js";
import { candidates, describe, probe, type Probe } from "../python.js";
import { Refusal } from "../refusal.js";
import { show } from "../state.js";
import { runSteps } from "../steps.js";
import { inform } from "../tell.js";
import { demandTrust } from "../trust.js";

const RUN = "Run";

/** `workspace`: the search of python.ts looks there by itself. */
interface Place extends vscode.QuickPickItem {
  readonly folder: string;
  readonly found: Probe | undefined;
  readonly workspace: boolean;
}

export const createEnvironment: Command = {
  id: "croqtile.createEnvironment",
  async run(parts) {
    demandTrust();
    const place = await choosePlace(parts);
    const source = place === undefined ? undefined : await chooseSource();
    if (place === undefined || source === undefined) {
      return;
    }
    const there = runs(place.found);
    const withoutPip = there && (await lacksPip(runProcess, place.folder, process.platform));
    const wish = { folder: place.folder, there, withoutPip, source };
    const todo = steps(wish, await maker(), process.platform);
    const detail = todo.map((step) => typed(step, process.platform)).join("\n\n");
    const question = todo.length > 1 ? "Make a Python environment with these commands?" : "Install the package with this command?";
    if ((await vscode.window.showInformationMessage(question, { modal: true, detail }, RUN)) !== RUN) {
      return;
    }
    await making(place.folder, () => runSteps(todo));
    await use(parts, place);
  },
};

async function choosePlace({ context }: Parts): Promise<Place | undefined> {
  const folders = localFolders().map((folder) => ({ folder: path.join(folder, ".venv"), workspace: true }));
  const own = { folder: path.join(context.globalStorageUri.fsPath, "environment"), workspace: false };
  const places = await Promise.all([...folders, own].map(placeOf));
  const offered = places.filter(({ found }) => usable(found));
  if (offered.length === 0) {
    const [first] = places;
    throw new Refusal(`There is one already: ${first?.found === undefined ? own.folder : describe(first.found)}`, {
      title: "Choose Environment",
      command: "croqtile.chooseEnvironment",
    });
  }
  return vscode.window.showQuickPick(offered, { placeHolder: "Where to make the environment", ignoreFocusOut: true });
}

async function placeOf({ folder, workspace }: { folder: string; workspace: boolean }): Promise<Place> {
  const command = interpreterOf(folder, process.platform);
  const found = existsSync(command) ? await probe({ command, origin: workspace ? "workspace" : "setting" }, runProcess) : undefined;
  const label = workspace ? vscode.workspace.asRelativePath(folder, localFolders().length > 1) : "An environment for all folders";
  const description = workspace ? "of this folder" : "";
  const detail = runs(found) ? `${folder} (is there; ${PACKAGE} is installed into it)` : folder;
  return { label, description, detail, folder, found, workspace };
}

/** What is half made goes again: a later try would take it for an environment. What was there before stays. */
async function making(folder: string, work: () => Promise<void>): Promise<void> {
  const ours = !existsSync(folder);
  try {
    await work();
  } catch (error) {
    if (ours) {
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
    throw error;
  }
}

async function chooseSource(): Promise<string | undefined> {
  const typedIn = await vscode.window.showInputBox({
    title: "Package or folder",
    prompt: `Path of a checkout or of a wheel of ${PACKAGE}, or its name where your index has it`,
    placeHolder: "~/croqtile-tools",
    ignoreFocusOut: true,
    validateInput: wrongSource,
  });
  const [folder] = localFolders();
  const source = typedIn === undefined ? undefined : expandPath(typedIn, { home: homedir(), workspaceFolder: folder });
  return source === undefined ? undefined : placed(source, folder ?? homedir());
}

/** Throws Refusal where nothing can make environments. */
async function maker(): Promise<Maker> {
  const able = await findMaker(runProcess, FILES.found("uv"), async () => {
    const tries = candidates({ ...(await surroundings()), setting: undefined, folders: [] }, FILES);
    return Promise.all(tries.map((one) => probe(one, runProcess)));
  });
  if (able === undefined) {
    throw new Refusal("Neither uv nor a Python 3.11 or newer is on the PATH: install one of them first");
  }
  return able;
}

/**
 * Starts the server in the new environment. The setting is written only where the search would not find it by itself; a
 * setting that changes starts the server already.
 */
async function use({ server }: Parts, { folder, workspace }: Place): Promise<void> {
  const command = interpreterOf(folder, process.platform);
  const found = await probe({ command, origin: "setting" }, runProcess);
  if (found.kind !== "found") {
    throw new Refusal(describe(found));
  }
  const at = await surroundings();
  const [first] = candidates(at, FILES);
  const isNew = at.setting !== command && (!workspace || first?.command !== command);
  if (isNew) {
    await writePython(command);
  }
  const state = await (isNew ? server.settled() : server.restart("asked"));
  if (state.kind === "running" && state.found.candidate.command === command) {
    void inform(`server started, ${show(state).detail}`);
  }
}
