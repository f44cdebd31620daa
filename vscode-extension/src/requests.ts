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

/** Parameters and result of each request, by its name. */
export interface Requests {
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
