/** The settings, typed and checked once. Must not import `vscode`: the editor hands in a reader. */

export const SECTION = "croqtile";

export const ARCHITECTURES = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a"] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

export const DIALECTS = ["any", "current"] as const;
export type Dialect = (typeof DIALECTS)[number];

export interface Settings {
  /** Interpreter as typed by the user, variables expanded; undefined where the setting is empty. */
  readonly python: string | undefined;
  readonly arch: Architecture;
  readonly dialect: Dialect;
  /** Macro name to text. */
  readonly defines: Readonly<Record<string, string>>;
}

/** What `vscode.WorkspaceConfiguration.get` gives: any JSON value, for the user may have written anything. */
export type Read = (key: string) => unknown;

export interface Places {
  readonly home: string;
  readonly workspaceFolder: string | undefined;
}

function oneOf<T extends string>(values: readonly T[], value: unknown, fallback: T): T {
  return values.find((known) => known === value) ?? fallback;
}

/** Expands `~` and `${workspaceFolder}`; undefined for an empty path or one that needs a folder we lack. */
export function expandPath(path: string, places: Places): string | undefined {
  const trimmed = path.trim();
  const home = trimmed === "~" || /^~[\\/]/.test(trimmed) ? places.home + trimmed.slice(1) : trimmed;
  if (!home.includes("${workspaceFolder}")) {
    return home === "" ? undefined : home;
  }
  const folder = places.workspaceFolder;
  return folder === undefined ? undefined : home.replaceAll("${workspaceFolder}", () => folder);
}

function readDefines(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return {};
  }
  const entries = Object.entries(value).filter(
    ([name, text]) => /^[A-Za-z_]\w*$/.test(name) && (typeof text === "string" || typeof text === "number"),
  );
  return Object.fromEntries(entries.map(([name, text]) => [name, String(text)]));
}

/** Reads the settings; a value of the wrong type counts as not set (the settings editor marks it). */
export function readSettings(read: Read, places: Places): Settings {
  const python = read("python");
  return {
    python: typeof python === "string" ? expandPath(python, places) : undefined,
    arch: oneOf(ARCHITECTURES, read("arch"), "sm_90a"),
    dialect: oneOf(DIALECTS, read("dialect"), "any"),
    defines: readDefines(read("defines")),
  };
}
