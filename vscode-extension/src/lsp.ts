/** Places as LSP has them, and what most requests are about. Must not import `vscode`. */

export interface DocumentId {
  readonly uri: string;
}

/** A document, and in it one function where `entry` names it. */
export interface About {
  readonly textDocument: DocumentId;
  readonly entry?: string;
  /** Which of the functions of that name, in file order; all of them without it. */
  readonly overload?: number;
}

/** Lines and columns from 0, columns in UTF-16 units, as in VS Code. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** About a document, or the function in it where there is a name; options, as of a lens, say which one of that name. */
export function aboutThe(uri: string, entry: unknown, options?: unknown): About {
  const { overload } = fieldsOf(options);
  const which = typeof overload === "number" ? { overload } : {};
  return typeof entry === "string" ? { textDocument: { uri }, entry, ...which } : { textDocument: { uri } };
}

/** The function alone, as pages name it; null where none is named. */
export interface Which {
  readonly function: string;
  readonly overload?: number;
}

export function whichOf({ entry, overload }: About): Which | null {
  return entry === undefined ? null : { function: entry, ...(overload === undefined ? {} : { overload }) };
}

/** How a function is called where others may have its name. */
export function calledIn({ entry, overload }: Pick<About, "entry" | "overload">): string | undefined {
  return entry === undefined || overload === undefined ? entry : `${entry} (${overload + 1})`;
}

/** One of a list of functions: with its number where others have its name. */
export function numbered<T extends { readonly name: string }>(one: T, all: readonly T[]): Pick<About, "entry" | "overload"> {
  const alike = all.filter((other) => other.name === one.name);
  return { entry: one.name, ...(alike.length > 1 ? { overload: alike.indexOf(one) } : {}) };
}

/** The same as arguments of a command. */
export function argumentsOf({ textDocument, entry, overload }: About): [string, string | null, { readonly overload?: number }] {
  return [textDocument.uri, entry ?? null, overload === undefined ? {} : { overload }];
}

/** Whether this, which a page said, is a place of a text. */
export function isPosition(value: unknown): value is Position {
  const { line, character } = fieldsOf(value);
  return [line, character].every((one) => typeof one === "number" && Number.isInteger(one) && one >= 0);
}

export function isRange(value: unknown): value is Range {
  const { start, end } = fieldsOf(value);
  return isPosition(start) && isPosition(end);
}

/** The fields of what may be no object at all. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
