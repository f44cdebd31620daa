/** The commands that make a Python environment with the package in it. Must not run them, nor import `vscode`. */
import * as path from "node:path";

import { OLDEST_PYTHON, type Probe, type Run } from "./python.js";

export const PACKAGE = "croqtile-tools";

/** One program with its arguments; no shell sees them. */
export interface Step {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
}

export interface Installation {
  /** Folder of the environment. */
  readonly folder: string;
  /** Whether a Python runs in it already: then the package is only installed. */
  readonly there: boolean;
  /** Whether that Python lacks pip, as one that uv has made. */
  readonly withoutPip: boolean;
  /** What `pip install` is given: the package's name, or the path of a wheel or a checkout. */
  readonly source: string;
}

/** What can make environments: `uv`, or a Python that is new enough. */
export type Maker = { readonly kind: "uv" | "python"; readonly command: string };

/** The interpreter of an environment. */
export function interpreterOf(folder: string, platform: NodeJS.Platform): string {
  return platform === "win32" ? path.win32.join(folder, "Scripts", "python.exe") : path.join(folder, "bin", "python");
}

/** The steps run away from the workspace, and each Python alone (`-I`): a `logging.py` of the person's is no module of theirs. */
export function steps({ folder, there, withoutPip, source }: Installation, maker: Maker, platform: NodeJS.Platform): readonly Step[] {
  const python = interpreterOf(folder, platform);
  const make = "Make the environment";
  const install = `Install ${PACKAGE}`;
  const [created, installed]: [Step, Step] =
    maker.kind === "uv"
      ? [
          { title: make, command: maker.command, args: ["venv", "--allow-existing", "--python", `>=${OLDEST_PYTHON.join(".")}`, folder] },
          { title: install, command: maker.command, args: ["pip", "install", "--python", python, source] },
        ]
      : [
          { title: make, command: maker.command, args: ["-I", "-m", "venv", folder] },
          { title: install, command: python, args: ["-I", "-m", "pip", "install", source] },
        ];
  if (!there) {
    return [created, installed];
  }
  const needsPip = withoutPip && maker.kind === "python";
  return needsPip ? [{ title: "Add pip", command: python, args: ["-I", "-m", "ensurepip"] }, installed] : [installed];
}

/** A step as one would type it, for a person to read: in a shell of POSIX, or in PowerShell, which starts a quoted program by `&`. */
export function typed({ command, args }: Step, platform: NodeJS.Platform): string {
  const apostrophe = platform === "win32" ? "''" : "'\\''";
  const quoted = (word: string): string => (/^[\w@%+=:,./\\~-]+$/.test(word) ? word : `'${word.replaceAll("'", apostrophe)}'`);
  const line = [command, ...args].map(quoted).join(" ");
  return platform === "win32" && line.startsWith("'") ? `& ${line}` : line;
}

/** A source with a path that is relative to the workspace's folder made whole; a name and an address stay as they are. */
export function placed(source: string, folder: string): string {
  const isPath = /^\.{0,2}[\\/]|^\.{1,2}$|\.whl$|[\\/]/.test(source) && !/:\/\/| @ /.test(source);
  return isPath ? path.resolve(folder, source) : source;
}

/** What is wrong with a source as typed; undefined for one that can be tried. An option of pip is none. */
export function wrongSource(source: string): string | undefined {
  if (source.trim() === "") {
    return `Type the path of a checkout or of a wheel of ${PACKAGE}, or its name where your index has it`;
  }
  return source.trim().startsWith("-") ? "This is an option, not a package" : undefined;
}

/** Whether an environment can be made, or filled, where this was found; undefined where nothing was. */
export function usable(found: Probe | undefined): boolean {
  return found === undefined || found.kind === "no-interpreter" || found.kind === "package-missing" || found.kind === "package-broken";
}

/** Whether a Python runs there to install into. */
export function runs(found: Probe | undefined): boolean {
  return found?.kind === "package-missing" || found?.kind === "package-broken";
}

/** What makes environments here: the `uv` of the PATH where it runs, else one of the Pythons; undefined where there is neither. */
export async function findMaker(run: Run, uv: string | undefined, pythons: () => Promise<readonly Probe[]>): Promise<Maker | undefined> {
  const tried = uv === undefined ? undefined : await run(uv, ["--version"]);
  return uv !== undefined && tried?.kind === "exited" && tried.code === 0 ? { kind: "uv", command: uv } : makerAmong(await pythons());
}

/** Whether a Python that is there lacks pip. */
export async function lacksPip(run: Run, folder: string, platform: NodeJS.Platform): Promise<boolean> {
  const pip = await run(interpreterOf(folder, platform), ["-I", "-m", "pip", "--version"]);
  return pip.kind !== "exited" || pip.code !== 0;
}

/** The first of the tries that can make environments: any Python that is new enough, with the package or without. */
export function makerAmong(probes: readonly Probe[]): Maker | undefined {
  const able = probes.find((one) => one.kind === "found" || runs(one));
  return able === undefined ? undefined : { kind: "python", command: able.candidate.command };
}
