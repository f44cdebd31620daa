/** Show generated CUDA, PTX and SASS: a read-only document beside the source (views/generated.ts fills it). */
import type { Command, Parts } from "../parts.js";
import { aboutOf, openedDocument } from "../place.js";
import type { Form } from "../requests.js";
import { showBeside } from "../views/beside.js";

export const showCuda: Command = { id: "croqtile.showCuda", run: (parts, ...args) => show(parts, "cuda", args) };
export const showPtx: Command = { id: "croqtile.showPtx", run: (parts, ...args) => show(parts, "ptx", args) };
export const showSass: Command = { id: "croqtile.showSass", run: (parts, ...args) => show(parts, "sass", args) };

async function show({ server }: Parts, form: Form, args: readonly unknown[]): Promise<void> {
  const { textDocument, ...which } = aboutOf(args);
  await server.ready();
  await openedDocument(textDocument.uri);
  await showBeside({ source: textDocument.uri, form, ...which });
}
