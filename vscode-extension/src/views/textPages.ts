/** Read-only Markdown pages of rules and reports, shown rendered. Must not make their texts. */
import * as vscode from "vscode";

import { Signal } from "../signal.js";

const SCHEME = "croqtile-page";
/** What pages there are: the editor asks for the text when it shows one, and again after the window was loaded anew. */
const texts = new Map<string, string>();
const changed = new Signal<vscode.Uri>();
/** Older ones are forgotten: they can be asked for again. */
const MOST_PAGES = 30;

/** Shows a page beside the editor. `name` is what its tab says; an earlier page of that name is replaced. */
export async function showPage(name: string, markdown: string): Promise<void> {
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.md` });
  texts.delete(uri.toString()); // the newest stands last
  texts.set(uri.toString(), markdown);
  for (const old of [...texts.keys()].slice(0, -MOST_PAGES)) {
    texts.delete(old);
  }
  changed.fire(uri);
  try {
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  } catch {
    // The editor's own Markdown extension may be off: the text itself is readable.
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true });
  }
}

export function registerTextPages(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? "This page is gone; ask for it again.\n",
  });
}
