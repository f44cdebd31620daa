/** Which rules the user may mean, and what a migration tells. Must not import `vscode`. */
import { fieldsOf } from "./lsp.js";

export interface RuleRow {
  readonly name: string;
  readonly severity: string;
  readonly summary: string;
}

/** The rules in the answer to `croqtile.explain` without a name. */
export function rulesOf(answer: unknown): readonly RuleRow[] {
  const rows = fieldsOf(answer)["rules"];
  return Array.isArray(rows) ? rows.filter((row): row is RuleRow => typeof fieldsOf(row)["name"] === "string") : [];
}

export interface Dialect {
  readonly name: string;
  readonly summary: string;
}

/** The dialects in the answer to `croqtile.migrate` without arguments. */
export function dialectsOf(answer: unknown): readonly Dialect[] {
  const rows = fieldsOf(answer)["dialects"];
  return Array.isArray(rows) ? rows.filter((row): row is Dialect => typeof fieldsOf(row)["name"] === "string") : [];
}

export interface RulePage {
  readonly rule: string;
  readonly text: string;
}

/** The page in an answer, or the reason why there is none. */
export function pageOf(answer: unknown): RulePage | string {
  const { rule, text, message } = (answer ?? {}) as Partial<Record<string, unknown>>;
  if (typeof rule === "string" && typeof text === "string") {
    return { rule, text };
  }
  return typeof message === "string" ? message : "there is no such rule";
}

/** Whether the code of a finding is the name of a rule, as docs/protocol.md spells them. */
export function isRule(code: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(code);
}

/** Those of `here` in front of the others, each once; `here` are the codes of the findings at the cursor. */
export function inFront(rules: readonly RuleRow[], here: readonly string[]): readonly RuleRow[] {
  return [...rules.filter((row) => here.includes(row.name)), ...rules.filter((row) => !here.includes(row.name))];
}

export interface Migrated {
  readonly message: string;
  readonly moved: number;
  /** What stays, each with its line in the text as it was. */
  readonly kept: readonly string[];
  /** Functions with syntax errors. */
  readonly skipped: number;
}

export function migratedOf(answer: unknown): Migrated {
  const { message, moved, kept, skipped } = (answer ?? {}) as Partial<Record<string, unknown>>;
  return {
    message: typeof message === "string" ? message : "nothing was migrated",
    moved: typeof moved === "number" ? moved : 0,
    kept: Array.isArray(kept) ? kept.filter((one): one is string => typeof one === "string") : [],
    skipped: typeof skipped === "number" ? skipped : 0,
  };
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

/** One sentence. */
export function migrationSaid({ message, moved, kept, skipped }: Migrated, file: string): string {
  const changes = moved > 0 ? `, ${counted(moved, "change")}` : "";
  const stays = kept.length === 1 ? "stays as it is" : "stay as they are";
  const rest = kept.length > 0 ? `; ${counted(kept.length, "place")} ${stays}` : "";
  const unread = skipped > 0 ? `; ${counted(skipped, "function")} with syntax errors cannot be read` : "";
  return `${file}: ${message}${changes}${rest}${unread}`;
}

/** The report of what stays, as Markdown. */
export function keptPage({ kept }: Migrated, file: string, to: string): string {
  const rows = kept.map((one) => `- ${one.replace(/[\\`*_{}[\]<>#|]/g, (sign) => `\\${sign}`)}`);
  return `# What stays in ${file}\n\nThese places could not be moved to the ${to} dialect. Lines are those of the file before.\n\n${rows.join("\n")}\n`;
}
