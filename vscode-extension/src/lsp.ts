/** Places as LSP has them, and what most requests are about. Must not import `vscode`. */

export interface DocumentId {
  readonly uri: string;
}

/** A document, and in it one function where `entry` names it. */
export interface About {
  readonly textDocument: DocumentId;
  readonly entry?: string;
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

/** About a document, or the function in it where there is a name. */
export function aboutThe(uri: string, entry: unknown): About {
  return typeof entry === "string" ? { textDocument: { uri }, entry } : { textDocument: { uri } };
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
