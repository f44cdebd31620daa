/** Where a place of a text stands after an edit. Must not import `vscode`. */
import type { Position, Range } from "./lsp.js";

export interface Change {
  readonly range: Range;
  readonly text: string;
}

/** `changes` as an editor tells them: all of the text before, the last one in it first. What is put at the place moves it. */
export function moved(at: Position, changes: readonly Change[]): Position {
  return changes.reduce(movedByOne, at);
}

function movedByOne(at: Position, { range: { start, end }, text }: Change): Position {
  if (isBefore(at, end)) {
    return isBefore(start, at) ? { line: start.line, character: start.character } : at;
  }
  const lines = text.split(/\r\n|\r|\n/);
  const line = at.line - end.line + start.line + lines.length - 1;
  if (at.line !== end.line) {
    return { line, character: at.character };
  }
  const before = (lines.length === 1 ? start.character : 0) + (lines.at(-1)?.length ?? 0);
  return { line, character: at.character - end.character + before };
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}
