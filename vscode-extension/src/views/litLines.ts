/** Lights the line at the cursor and what goes with it on the other side: a source and its generated code. Dims old text. */
import * as vscode from "vscode";

import { generatedLines, runs, SCHEME, type Shown, sourceLines, subjectOf } from "../generatedText.js";

export class LitLines implements vscode.Disposable {
  private readonly light = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("croqtile.litLine"),
    overviewRulerColor: new vscode.ThemeColor("croqtile.litLine"),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private readonly dim = vscode.window.createTextEditorDecorationType({ opacity: "0.5" });
  private readonly lit = new Set<vscode.TextEditor>();
  private seen: readonly vscode.TextEditor[] = [];
  private readonly parts: vscode.Disposable[];

  constructor(private readonly shownAt: (uri: vscode.Uri) => Shown | undefined) {
    this.parts = [
      this.light,
      this.dim,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor, true)),
      vscode.window.onDidChangeVisibleTextEditors((editors) => this.look(editors)),
      vscode.window.onDidChangeActiveTextEditor(() => this.followActive(false)),
      // The text of a generated document was renewed: its lines are others now.
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === SCHEME) {
          this.dimOld(vscode.window.visibleTextEditors);
          this.followActive(false);
        }
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  /** A text opens with what all kernels need: where nothing is lit in a new one, the kernel itself is shown. */
  private look(editors: readonly vscode.TextEditor[]): void {
    const opened = editors.filter((one) => !this.seen.includes(one));
    this.seen = editors;
    for (const editor of opened) {
      const [first] = this.shownAt(editor.document.uri)?.statements.keys() ?? []; // in the order of the text
      if (first !== undefined) {
        const line = Math.max(0, first - 2);
        editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop);
      }
    }
    this.dimOld(editors);
    this.followActive(true);
  }

  private dimOld(editors: readonly vscode.TextEditor[]): void {
    for (const editor of editors) {
      if (editor.document.uri.scheme === SCHEME) {
        const from = this.shownAt(editor.document.uri)?.staleFrom;
        editor.setDecorations(this.dim, from === undefined ? [] : [new vscode.Range(from, 0, editor.document.lineCount, 0)]);
      }
    }
  }

  private followActive(reveal: boolean): void {
    const editor = vscode.window.activeTextEditor;
    if (editor !== undefined) {
      this.follow(editor, reveal);
    }
  }

  private follow(editor: vscode.TextEditor, reveal: boolean): void {
    if (editor !== vscode.window.activeTextEditor) {
      return;
    }
    const { uri } = editor.document;
    const pairs = uri.scheme === SCHEME ? this.toSource(editor) : this.toGenerated(editor);
    for (const old of this.lit) {
      old.setDecorations(this.light, []);
    }
    this.lit.clear();
    for (const { other, here, there } of pairs) {
      this.show(editor, here);
      this.show(other, there);
      const first = runs(there)[0];
      if (reveal && first !== undefined) {
        const range = new vscode.Range(first[0], 0, first[1], 0);
        other.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      }
    }
  }

  private show(editor: vscode.TextEditor, lines: readonly number[]): void {
    const last = editor.document.lineCount - 1;
    const ranges = runs(lines.filter((line) => line <= last)).map(([from, to]) => new vscode.Range(from, 0, to, 0));
    editor.setDecorations(this.light, ranges);
    this.lit.add(editor);
  }

  private toGenerated(editor: vscode.TextEditor): Pair[] {
    const source = editor.document.uri.toString();
    const line = editor.selection.active.line;
    return vscode.window.visibleTextEditors.flatMap((other) => {
      const { uri } = other.document;
      const text = uri.scheme === SCHEME && subjectOf(uri.query)?.source === source ? this.shownAt(uri) : undefined;
      const there = text === undefined ? [] : generatedLines(text, line);
      return there.length > 0 ? [{ other, here: [line], there }] : [];
    });
  }

  private toSource(editor: vscode.TextEditor): Pair[] {
    const { uri } = editor.document;
    const source = subjectOf(uri.query)?.source;
    const text = this.shownAt(uri);
    const line = editor.selection.active.line;
    const there = text === undefined ? [] : sourceLines(text, line);
    if (text === undefined || there.length === 0) {
      return [];
    }
    const here = generatedLines(text, there[0] ?? 0);
    const others = vscode.window.visibleTextEditors.filter((one) => one.document.uri.toString() === source);
    return others.map((other) => ({ other, here: here.includes(line) ? here : [line], there }));
  }
}

interface Pair {
  readonly other: vscode.TextEditor;
  readonly here: readonly number[];
  readonly there: readonly number[];
}
