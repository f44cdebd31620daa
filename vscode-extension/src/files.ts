/** What the file system knows of a program: whether it is there, and which places one comes through to reach it. Starts nothing. */
import { accessSync, constants, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import * as path from "node:path";

import type { Files } from "./python.js";

const MOST_LINKS = 40;

/** What CreateProcess adds to a name; where the name has an ending, it is tried as it stands, first. */
const WINDOWS_ENDINGS: readonly string[] = [".com", ".exe"];

/**
 * The files that a name without a folder may mean, in order. An entry of the PATH that is empty or relative is left out: it
 * would be of the folder that a program is started in, as that of a workspace.
 */
export function onPath(name: string, searched: string, platform: NodeJS.Platform): readonly string[] {
  if (platform !== "win32") {
    const folders = searched.split(":").filter((folder) => folder.startsWith("/"));
    return folders.map((folder) => path.posix.join(folder, name));
  }
  const entries = (searched.match(/(?:"[^"]*"|[^;"])+/g) ?? []).map((entry) => entry.replaceAll('"', ""));
  const folders = entries.filter((folder) => /^(?:[a-z]:[\\/]|[\\/]{2})/i.test(folder));
  const endings = name.includes(".") ? ["", ...WINDOWS_ENDINGS] : WINDOWS_ENDINGS;
  return folders.flatMap((folder) => endings.map((ending) => path.win32.join(folder, name + ending)));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return process.platform === "win32" && isLink(file); // a program of the Store is one that cannot be looked behind
  }
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

function real(file: string): string | undefined {
  try {
    return realpathSync.native(file); // of the names as they are stored, where upper and lower case are the same
  } catch {
    return undefined;
  }
}

function target(link: string): string | undefined {
  try {
    return path.resolve(path.dirname(link), readlinkSync(link));
  } catch {
    return undefined; // it is no link
  }
}

/** Each place on the way to a file, links of files and of folders followed one by one. */
function way(file: string): string[] {
  const found: string[] = [];
  let [at, parts] = split(path.resolve(file));
  let links = 0;
  for (let name = parts.shift(); name !== undefined; name = parts.shift()) {
    const next = path.join(at, name);
    found.push(next);
    const to = links < MOST_LINKS ? target(next) : undefined;
    if (to === undefined) {
      at = next;
    } else {
      links += 1;
      [at, parts] = split(path.join(to, ...parts));
    }
  }
  return found;
}

/** A path's root and the names behind it. */
function split(file: string): [string, string[]] {
  const { root } = path.parse(file);
  return [root, file.slice(root.length).split(path.sep)];
}

export const FILES: Files = {
  exists: existsSync,
  real: (file) => real(file) ?? file,
  found: (name) => onPath(name, process.env["PATH"] ?? "", process.platform).find(isProgram),
  reached(file) {
    const folder = real(path.dirname(file));
    const beside = folder === undefined ? [] : [path.join(folder, path.basename(file))];
    return [file, ...way(file), ...beside, real(file) ?? file];
  },
};
