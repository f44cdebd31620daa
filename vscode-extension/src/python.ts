/**
 * Finds a Python that can run the server. Must not import `vscode` and starts nothing by itself: the process
 * runner and the file test are handed in.
 */
import * as path from "node:path";

/** Where a candidate comes from, in the order of the search. */
export type Origin = "setting" | "workspace" | "python-extension" | "path";

export interface Candidate {
  readonly command: string;
  readonly origin: Origin;
}

/** What a child process did. `failed`: it could not be started or did not end in time. */
export type ProcessResult =
  | { readonly kind: "exited"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "failed"; readonly reason: string };

/** Runs a program without a shell. */
export type Run = (command: string, args: readonly string[]) => Promise<ProcessResult>;

/** What one candidate turned out to be. */
export type Probe =
  | { readonly kind: "found"; readonly candidate: Candidate; readonly python: string; readonly server: string }
  | { readonly kind: "no-interpreter"; readonly candidate: Candidate; readonly reason: string }
  | { readonly kind: "package-missing"; readonly candidate: Candidate; readonly python: string }
  | { readonly kind: "package-broken"; readonly candidate: Candidate; readonly reason: string }
  | { readonly kind: "too-old"; readonly candidate: Candidate; readonly python: string };

/** What the whole search found. The failures name the candidate that came nearest. */
export type Outcome = Probe | { readonly kind: "nothing-to-try" };

export const OLDEST_PYTHON = [3, 11] as const;

/** Prints one line of JSON in any Python 3 and imports the package as its last act. */
export const PROBE_SCRIPT = [
  "import json, sys",
  "v = sys.version_info",
  "print(json.dumps({'python': '%d.%d.%d' % v[:3]}))",
  "sys.stdout.flush()",
  `sys.exit(3) if tuple(v[:2]) < (${OLDEST_PYTHON.join(", ")}) else None`,
  "import importlib.util as u",
  "sys.exit(4) if u.find_spec('croqls') is None else None",
  "import croqls, croqc",
  "print(json.dumps({'server': croqc.__version__}))",
].join("\n");

export interface Surroundings {
  /** The setting `croqtile.python`, expanded. */
  readonly setting: string | undefined;
  /** Absolute paths of the workspace's folders. */
  readonly folders: readonly string[];
  /** Interpreter that the Python extension has chosen. */
  readonly pythonExtension: string | undefined;
  readonly trusted: boolean;
  readonly platform: NodeJS.Platform;
}

/** The file system, as far as the search needs it. */
export interface Files {
  readonly exists: (file: string) => boolean;
  /** A folder without links in its path. */
  readonly real: (folder: string) => string;
  /** The file that a name without a folder starts; undefined where the PATH has none. */
  readonly found: (name: string) => string | undefined;
  /** The places that one comes through to a program, all links followed. */
  readonly reached: (file: string) => readonly string[];
}

/** Whether a program is named without a folder: looked for by the system, it could be one of the workspace's. */
export function isBare(command: string): boolean {
  return !/[\\/]/.test(command);
}

/** Whether a path is below a folder, by its text alone; a name such as `..venv` is not the way out. */
export function below(file: string, folder: string, paths: path.PlatformPath = path): boolean {
  const relative = paths.relative(folder, file);
  const out = relative === ".." || relative.startsWith(`..${paths.sep}`) || paths.isAbsolute(relative);
  return relative !== "" && !out;
}

/** Whether a program is below one of the folders, or reached through one, as by a link. */
export function inside(command: string, folders: readonly string[], files: Files, paths: path.PlatformPath = path): boolean {
  const roots = folders.flatMap((folder) => [folder, files.real(folder)]);
  return !isBare(command) && files.reached(command).some((place) => roots.some((root) => below(place, root, paths)));
}

function workspaceInterpreters(folder: string, platform: NodeJS.Platform): string[] {
  const [paths, tail] = platform === "win32" ? [path.win32, ["Scripts", "python.exe"]] : [path.posix, ["bin", "python"]];
  return [".venv", "venv"].map((name) => paths.join(folder, name, ...tail));
}

/**
 * The candidates in the order of the search. A setting excludes all others. A name becomes the path of the program that the
 * PATH has for it, where it has one. In an untrusted workspace nothing from inside its folders is a candidate, wherever the
 * path comes from.
 */
export function candidates(at: Surroundings, files: Files): Candidate[] {
  const found: Candidate[] = [];
  if (at.setting !== undefined) {
    found.push({ command: at.setting, origin: "setting" });
  } else {
    for (const file of at.folders.flatMap((folder) => workspaceInterpreters(folder, at.platform))) {
      if (files.exists(file)) {
        found.push({ command: file, origin: "workspace" });
      }
    }
    if (at.pythonExtension !== undefined) {
      found.push({ command: at.pythonExtension, origin: "python-extension" });
    }
    const names = at.platform === "win32" ? ["python", "python3"] : ["python3", "python"];
    found.push(...names.map((command): Candidate => ({ command, origin: "path" })));
  }
  const placed = found.map(({ command, origin }) => ({ command: isBare(command) ? (files.found(command) ?? command) : command, origin }));
  const paths = at.platform === "win32" ? path.win32 : path.posix;
  const named = ({ command }: Candidate): boolean => isBare(command) || paths.isAbsolute(command);
  const allowed = at.trusted ? placed : placed.filter((one) => named(one) && !inside(one.command, at.folders, files, paths));
  return allowed.filter((one, i) => allowed.findIndex((other) => other.command === one.command) === i);
}

function field(stdout: string, name: string): string {
  for (const line of stdout.split(/\r?\n/)) {
    try {
      const value: unknown = (JSON.parse(line) as Record<string, unknown>)[name];
      if (typeof value === "string") {
        return value;
      }
    } catch {
      // A sitecustomize may print lines of its own.
    }
  }
  return "";
}

/** Tries one candidate. Never throws. */
export async function probe(candidate: Candidate, run: Run): Promise<Probe> {
  const result = await run(candidate.command, ["-c", PROBE_SCRIPT]);
  if (result.kind === "failed") {
    return { kind: "no-interpreter", candidate, reason: result.reason };
  }
  const python = field(result.stdout, "python");
  if (python === "") {
    return { kind: "no-interpreter", candidate, reason: lastLine(result.stderr) || "it is not a Python" };
  }
  switch (result.code) {
    case 0:
      return { kind: "found", candidate, python, server: field(result.stdout, "server") };
    case 3:
      return { kind: "too-old", candidate, python };
    case 4:
      return { kind: "package-missing", candidate, python };
    default:
      return { kind: "package-broken", candidate, reason: lastLine(result.stderr) || `exit code ${result.code}` };
  }
}

const NEARNESS: Readonly<Record<Exclude<Probe["kind"], "found">, number>> = {
  "package-broken": 3,
  "package-missing": 2,
  "too-old": 1,
  "no-interpreter": 0,
};

/** Tries the candidates in turn: the first that works, else the failure that came nearest. */
export async function findPython(tries: readonly Candidate[], run: Run): Promise<Outcome> {
  let nearest: Exclude<Probe, { kind: "found" }> | undefined;
  for (const candidate of tries) {
    const result = await probe(candidate, run);
    if (result.kind === "found") {
      return result;
    }
    if (nearest === undefined || NEARNESS[result.kind] > NEARNESS[nearest.kind]) {
      nearest = result;
    }
  }
  return nearest ?? { kind: "nothing-to-try" };
}

function lastLine(text: string): string {
  return text.trim().split(/\r?\n/).at(-1) ?? "";
}

/** One sentence for the user: what was tried and the way out. */
export function describe(outcome: Outcome): string {
  switch (outcome.kind) {
    case "found":
      return `Python ${outcome.python} (${outcome.candidate.command}), croqtile-tools ${outcome.server}`;
    case "no-interpreter":
      return `'${outcome.candidate.command}' does not run: ${outcome.reason}. Set "croqtile.python" to a Python 3.11 or newer that has croqtile-tools.`;
    case "package-missing":
      return `Python ${outcome.python} (${outcome.candidate.command}) has no croqtile-tools. Install the package there, or set "croqtile.python" to one that has it.`;
    case "package-broken":
      return `croqtile-tools in '${outcome.candidate.command}' does not start: ${outcome.reason}`;
    case "too-old":
      return `Python ${outcome.python} (${outcome.candidate.command}) is too old: 3.11 or newer is needed. Set "croqtile.python" to a newer one.`;
    case "nothing-to-try":
      return `No Python to try: what "croqtile.python" or the PATH names is in a workspace that is not trusted.`;
    default:
      return unreachable(outcome);
  }
}

/** A few words, for a list that names the command already. */
export function brief(probe: Probe): string {
  switch (probe.kind) {
    case "found":
      return `Python ${probe.python}, croqtile-tools ${probe.server}`;
    case "no-interpreter":
      return `does not run: ${probe.reason}`;
    case "package-missing":
      return `Python ${probe.python}, no croqtile-tools`;
    case "package-broken":
      return `croqtile-tools does not start: ${probe.reason}`;
    case "too-old":
      return `Python ${probe.python} is too old: 3.11 or newer is needed`;
    default:
      return unreachable(probe);
  }
}

function unreachable(value: never): never {
  throw new Error(`unexpected outcome: ${JSON.stringify(value)}`);
}
