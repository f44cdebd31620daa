/** What a command is about: the document and the function that a lens or a menu names, or the editor in front. */
import * as vscode from "vscode";

import { SCHEME, subjectOf } from "./generatedText.js";
import { type About, aboutThe, fieldsOf } from "./lsp.js";
import { Refusal } from "./refusal.js";

export const LANGUAGE = "croqtile";

/** Documents that the server is told of (client.ts). */
export const SCHEMES: readonly string[] = ["file", "untitled"];

/**
 * Lenses hand over the document's address, the name of a function and which one of that name, menus the address of what was clicked, the tree
 * its row; generated code stands for its source. Throws Refusal where there is no Croqtile file.
 */
export function aboutOf(args: readonly unknown[]): About {
  const [at, entry, options] = args;
  if (typeof at === "string") {
    return aboutThe(at, entry, options);
  }
  if (at instanceof vscode.Uri) {
    return at.scheme === SCHEME ? ofGenerated(at) : aboutThe(at.toString(), entry);
  }
  if (isRow(at)) {
    return at.about;
  }
  const front = vscode.window.activeTextEditor?.document.uri;
  return front?.scheme === SCHEME ? ofGenerated(front) : aboutThe(frontDocument().uri.toString(), undefined);
}

function isRow(at: unknown): at is { readonly about: About } {
  const { textDocument } = fieldsOf(fieldsOf(at)["about"]);
  return typeof fieldsOf(textDocument)["uri"] === "string";
}

function ofGenerated(uri: vscode.Uri): About {
  const subject = subjectOf(uri.query);
  if (subject === undefined) {
    throw new Refusal("This generated document names no source");
  }
  return aboutThe(subject.source, subject.entry, subject);
}

/** The Croqtile document that was in front last: panels and pages are no documents, and stand in front of them. */
let last: vscode.TextDocument | undefined;

export function followFront(): vscode.Disposable {
  const take = (editor: vscode.TextEditor | undefined): void => {
    last = editor?.document.languageId === LANGUAGE ? editor.document : last;
  };
  take(vscode.window.activeTextEditor);
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(take),
    vscode.workspace.onDidCloseTextDocument((document) => {
      last = document === last ? undefined : last;
    }),
  );
}

/** The Croqtile document in front, or the last one that was. Throws Refusal where there is none. */
function frontDocument(): vscode.TextDocument {
  const front = vscode.window.activeTextEditor?.document;
  const document = front?.languageId === LANGUAGE ? front : last;
  if (document === undefined) {
    throw new Refusal("Open a Croqtile file (.co) first", { title: "New Kernel", command: "croqtile.newKernel" });
  }
  return document;
}

/** The document of an address, opened so that the server knows it. Throws Refusal where it cannot be. */
export async function openedDocument(uri: string): Promise<vscode.TextDocument> {
  const address = vscode.Uri.parse(uri, true);
  if (!SCHEMES.includes(address.scheme)) {
    throw new Refusal(`Croqtile works on files on disk and on untitled ones; save a copy of ${address.path} first`);
  }
  try {
    return await vscode.workspace.openTextDocument(address);
  } catch {
    throw new Refusal(`${vscode.workspace.asRelativePath(address)} cannot be opened`);
  }
}
