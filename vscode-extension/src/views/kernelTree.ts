/** The kernels of a file with their events and buffers, from the outline that the server gives. Must not import `vscode`. */
import type { Range } from "../lsp.js";

/** LSP's numbers, less one: so does the editor's own interface count. */
const KINDS = { function: 11, array: 17, event: 23 } as const;

/** The part of the editor's `DocumentSymbol` that is used. */
export interface Outlined {
  readonly name: string;
  readonly detail: string;
  readonly kind: number;
  readonly selectionRange: Range;
  readonly children: readonly Outlined[];
}

export interface Entry {
  readonly kind: "kernel" | "event" | "buffer";
  readonly name: string;
  readonly detail: string;
  readonly range: Range;
  readonly children: readonly Entry[];
}

const entryOf = (one: Outlined, kind: Entry["kind"], children: readonly Entry[] = []): Entry => ({
  kind,
  name: one.name,
  detail: one.detail,
  range: one.selectionRange,
  children,
});

/** Functions in the order of the text; below each its events, then its buffers. */
export function kernels(outline: readonly Outlined[]): readonly Entry[] {
  return outline
    .filter((one) => one.kind === KINDS.function)
    .map((one) => {
      const events = one.children.filter((child) => child.kind === KINDS.event).map((child) => entryOf(child, "event"));
      const buffers = one.children.filter((child) => child.kind === KINDS.array).map((child) => entryOf(child, "buffer"));
      return entryOf(one, "kernel", [...events, ...buffers]);
    });
}
