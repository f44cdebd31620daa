/** Read-only Markdown pages of rules and reports, shown rendered. Must not make their texts. */
import * as vscode from "vscode";

const SCHEME = "croqtile-page";
/** What pages there are: the editor asks for the text when it shows one, and again after the window was loaded anew. */
const texts = new Map<string, string>();

/** Shows a page beside the editor. `name` is what its tab says; an earlier page of that name is replaced. */
export async function showPage(name: string, markdown: string): Promise<void> {
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.md` });
  texts.set(uri.toString(), markdown);
  changed.fire(uri);
  try {
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  } catch {
    // The editor's own Markdown extension may be off: the text itself is readable.
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true });
  }
}

const changed = new vscode.EventEmitter<vscode.Uri>();

export function registerTextPages(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? "This page is gone; ask for it again.\n",
  });
}
