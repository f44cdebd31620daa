/** What the panel asks the server for: its page, and requests that end when nobody wants the answer. Must not show anything. */
import * as vscode from "vscode";

import type { Parts } from "../../parts.js";
import { openedDocument } from "../../place.js";
import { newNonce } from "../page.js";

/** `version` is that of the text which the page is of. */
export interface FlowPage {
  readonly html: string;
  readonly version: number;
}

/** Throws Refusal where the document or the server is not there. */
export async function pageOf({ server }: Parts, uri: vscode.Uri): Promise<FlowPage> {
  await server.ready();
  const { version } = await openedDocument(uri.toString());
  const about = { textDocument: { uri: uri.toString() }, nonce: newNonce() };
  const { html } = await server.request("croqtile/flowPage", about);
  return { html, version };
}

/** A request that ends when its signal is aborted. */
export async function ending<T>(signal: AbortSignal, request: (token: vscode.CancellationToken) => Promise<T>): Promise<T> {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener("abort", cancel);
  try {
    return await request(source.token);
  } finally {
    signal.removeEventListener("abort", cancel);
    source.dispose();
  }
}
