/** What the panel asks the server for: its page, and requests that end when nobody wants the answer. Must not show anything. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

import { openedDocument } from "../../commands/place.js";
import type { Parts } from "../../parts.js";

/** `version` is that of the text which the page is of. */
export interface Page {
  readonly html: string;
  readonly version: number;
}

export function newNonce(): string {
  return randomBytes(18).toString("base64");
}

/** Throws Refusal where the document or the server is not there. */
export async function pageOf({ server }: Parts, uri: vscode.Uri): Promise<Page> {
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

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
