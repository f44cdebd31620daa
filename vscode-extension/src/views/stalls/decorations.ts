/** Shows beside each `wait` what a profile has measured there, until the next edit of the document. */
import * as vscode from "vscode";

import { rangeOf } from "../ranges.js";
import type { Share } from "./shares.js";

let shown: StallShares | undefined;

export function registerStallShares(): vscode.Disposable {
  shown = new StallShares();
  return shown;
}

/** Nothing is shown of a version that is not the document's any more. */
export function showShares(uri: string, version: number, shares: readonly Share[]): void {
  shown?.show(uri, version, shares);
}

class StallShares implements vscode.Disposable {
  private readonly words = vscode.window.createTextEditorDecorationType({
    before: {
      color: new vscode.ThemeColor("editorInlayHint.foreground"),
      backgroundColor: new vscode.ThemeColor("editorInlayHint.background"),
      margin: "0 0.6em 0 0",
    },
  });
  private readonly known = new Map<string, readonly Share[]>();
  private readonly parts = vscode.Disposable.from(
    this.words,
    vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => contentChanges.length > 0 && this.forget(document)),
    vscode.workspace.onDidCloseTextDocument((document) => this.forget(document)),
  );

  show(uri: string, version: number, shares: readonly Share[]): void {
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri);
    if (document?.version === version) {
      this.known.set(uri, shares);
      this.draw();
    }
  }

  dispose(): void {
    this.parts.dispose();
  }

  private forget(document: vscode.TextDocument): void {
    if (this.known.delete(document.uri.toString())) {
      this.draw();
    }
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const shares = this.known.get(editor.document.uri.toString()) ?? [];
      editor.setDecorations(this.words, shares.map((share) => optionsOf(share, editor.document)));
    }
  }
}

/** The words stand in front of the statement, where no hint pushes them out of sight; the whole of it tells more when hovered. */
function optionsOf({ range: at, text, detail }: Share, document: vscode.TextDocument): vscode.DecorationOptions {
  const range = document.validateRange(rangeOf(at));
  return { range, hoverMessage: new vscode.MarkdownString(detail), renderOptions: { before: { contentText: text } } };
}
