/** What the file system knows of a program: whether it is there, and which places one comes through to reach it. Starts nothing. */
import { accessSync, constants, existsSync, readlinkSync, realpathSync, statSync } from "node:fs";
import * as path from "node:path";

import type { Files } from "./python.js";

const MOST_LINKS = 40;

/** The file that a name without a folder starts; undefined where the PATH has none. */
function onPath(name: string): string | undefined {
  const endings = process.platform === "win32" ? ["", ".exe"] : [""];
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).map((folder) => path.resolve(folder));
  return folders.flatMap((folder) => endings.map((ending) => path.join(folder, name + ending))).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
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
  reached(command) {
    const file = /[\\/]/.test(command) ? command : onPath(command);
    if (file === undefined) {
      return [];
    }
    const folder = real(path.dirname(file));
    const beside = folder === undefined ? [] : [path.join(folder, path.basename(file))];
    return [file, ...way(file), ...beside, real(file) ?? file];
  },
};
