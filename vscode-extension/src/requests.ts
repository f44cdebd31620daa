/** The names and shapes of the requests beside LSP (docs/protocol.md), as far as they are used here. Must not import `vscode`. */

export interface DocumentId {
  readonly uri: string;
}

/** What most requests are about: a document, and in it one function where `entry` names it. */
export interface About {
  readonly textDocument: DocumentId;
  readonly entry?: string;
  readonly defines?: Readonly<Record<string, string | null>>;
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

/** As `croq flow --json`; the page reads what is in it. */
export interface FlowData {
  readonly flows: readonly unknown[];
}

/** The state at a place; the page reads what is in it. */
export interface FlowAt {
  readonly function: string;
  readonly range: Range | null;
  readonly visits: readonly unknown[];
}

/** Parameters and result of each request, by its name. */
export interface Requests {
  "croqtile/flow": { readonly params: About; readonly result: FlowData };
  "croqtile/flowAt": { readonly params: About & { readonly position: Position }; readonly result: FlowAt };
  "croqtile/flowPage": { readonly params: About & { readonly nonce: string }; readonly result: { readonly html: string } };
  "croqtile/runCancel": { readonly params: { readonly id?: number }; readonly result: { readonly cancelled: boolean } };
}

/** The parameters of each notification from the server, by its name. */
export interface Notifications {
  "croqtile/runProgress": {
    readonly id: number;
    readonly uri: string;
    readonly message: string;
    readonly done: number;
    readonly total: number;
  };
}

export const NOTICES = ["croqtile/runProgress"] as const satisfies readonly (keyof Notifications)[];

export type Method = keyof Requests;
export type Notice = keyof Notifications;
