/** Reads the editor's surroundings for the search in python.ts: settings, folders, trust, the Python extension. */
import { homedir } from "node:os";
import * as vscode from "vscode";

import { readSettings, SECTION, type Settings } from "./config.js";
import { FILES } from "./files.js";
import { inside, type Surroundings } from "./python.js";
import { reasonOf, Refusal, type Way } from "./refusal.js";

/** The part of the Python extension's public interface that is used here. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string } | undefined;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

const OPEN_SETTINGS: Way = { title: "Open Settings", command: "workbench.action.openSettingsJson" };
const PYTHON_EXTENSION = "ms-python.python";

export function localFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter((folder) => folder.uri.scheme === "file").map((folder) => folder.uri.fsPath);
}

export function currentSettings(): Settings {
  const settings = vscode.workspace.getConfiguration(SECTION, null); // of no resource: the server asks for those of folders
  return readSettings((key) => settings.get(key), { home: homedir(), workspaceFolder: localFolders()[0] });
}

async function pythonApi(): Promise<PythonApi | undefined> {
  try {
    return await vscode.extensions.getExtension<PythonApi>(PYTHON_EXTENSION)?.activate();
  } catch {
    return undefined; // a broken Python extension is as good as none
  }
}

async function activePython(): Promise<string | undefined> {
  const api = await pythonApi();
  try {
    return api?.environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri)?.path;
  } catch {
    return undefined; // of another version than is known here
  }
}

export async function surroundings(): Promise<Surroundings> {
  return {
    setting: currentSettings().python,
    folders: localFolders(),
    pythonExtension: await activePython(),
    trusted: vscode.workspace.isTrusted,
    platform: process.platform,
  };
}

/**
 * Writes the setting `croqtile.python`: of the workspace for what is in it, else of the user. Undefined clears both. Throws
 * Refusal where the settings cannot be written, as where their file has errors.
 */
export async function writePython(command: string | undefined): Promise<void> {
  try {
    await updatePython(command);
  } catch (error) {
    const reason = reasonOf(error);
    throw new Refusal(`"croqtile.python" could not be written: ${reason}`, OPEN_SETTINGS);
  }
}

async function updatePython(command: string | undefined): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const known = settings.inspect<string>("python");
  const inWorkspace = known?.workspaceValue !== undefined && vscode.workspace.isTrusted;
  if (command === undefined) {
    if (inWorkspace) {
      await settings.update("python", undefined, vscode.ConfigurationTarget.Workspace);
    }
    await settings.update("python", undefined, vscode.ConfigurationTarget.Global);
    return;
  }
  const here = inWorkspace || inside(command, localFolders(), FILES);
  const target = here && vscode.workspace.isTrusted ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.update("python", command, target);
}

/** Calls `deleted` when something of an environment in the workspace's folders goes. */
export function onEnvironmentDeleted(deleted: () => void): vscode.Disposable {
  const names = ["{.venv,venv}", "{.venv,venv}/{bin,Scripts}/python{,.exe}"];
  const watchers = names.map((name) => vscode.workspace.createFileSystemWatcher(`**/${name}`, true, true, false));
  return vscode.Disposable.from(...watchers, ...watchers.map((watcher) => watcher.onDidDelete(deleted)));
}

/** Calls `changed` whenever the search may find something else. */
export async function onSurroundingsChange(changed: () => void): Promise<vscode.Disposable> {
  const api = await pythonApi();
  const parts: (vscode.Disposable | undefined)[] = [
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.python`)) {
        changed();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(changed),
    vscode.workspace.onDidChangeWorkspaceFolders(changed),
    api?.environments?.onDidChangeActiveEnvironmentPath(changed),
  ];
  return vscode.Disposable.from(...parts.filter((part) => part !== undefined));
}
