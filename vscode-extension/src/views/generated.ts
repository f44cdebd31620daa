/**
 * Generated code beside its source: read-only documents that follow the edits of what they were made of, and are made
 * again after a reload of the window. The old text stays until the new one is there. Must not light lines (litLines.ts).
 */
import * as vscode from "vscode";

import { SECTION } from "../config.js";
import { FORMS, refused, SCHEME, type Shown, shown, type Subject, subjectOf } from "../generatedText.js";
import { type Editor, GeneratedTexts } from "../generatedTexts.js";
import { aboutThe } from "../lsp.js";
import type { Parts } from "../parts.js";
import { openedDocument } from "../place.js";
import { reasonOf, Refusal } from "../refusal.js";
import { LitLines } from "./litLines.js";
import { type FileText, ReadOnlyFiles } from "./readOnlyFiles.js";

class GeneratedDocuments implements Editor, vscode.Disposable {
  private readonly texts = new GeneratedTexts(this);
  private readonly files = new ReadOnlyFiles(SCHEME, async (uri) => this.textOf(uri));
  private readonly parts: vscode.Disposable[];

  readonly isSeen = isSeen;
  readonly isOpen = isOpen;

  constructor(private readonly server: Parts["server"]) {
    const { texts } = this;
    this.parts = [
      this.files,
      texts,
      vscode.workspace.onDidChangeTextDocument(({ document }) => texts.changed((one) => one.source === document.uri.toString())),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SECTION)) {
          texts.changed(() => true);
        }
      }),
      server.onDidChangeState((state) => {
        if (state.kind === "running") {
          texts.changed(() => true);
        }
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => texts.catchUp()),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => {
        if (uri.scheme === SCHEME) {
          texts.opened(uri.toString());
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => texts.forget(uri.toString())),
    ];
  }

  /** What is shown at an address, where it is shown. */
  at(uri: vscode.Uri): Shown | undefined {
    return this.texts.at(uri.toString());
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  renewed(key: string): void {
    this.files.renew(vscode.Uri.parse(key));
  }

  private async textOf(uri: vscode.Uri): Promise<FileText | undefined> {
    const subject = subjectOf(uri.query);
    return subject === undefined ? undefined : this.texts.textOf(uri.toString(), subject);
  }

  async make(subject: Subject, before: Shown | undefined, begun: () => void): Promise<Shown> {
    const { source, form, entry } = subject;
    const work = async (): Promise<Shown> => {
      try {
        await this.server.ready();
        await openedDocument(source);
        begun();
        const params = { ...aboutThe(source, entry), form };
        return shown(await this.server.request("croqtile/generated", params), form, before);
      } catch (error) {
        if (!(error instanceof Refusal)) {
          this.server.output.error(`croqtile/generated: ${String(error)}`);
        }
        return refused([reasonOf(error)], form, before);
      }
    };
    const options = { location: vscode.ProgressLocation.Window, title: `Croqtile: making ${FORMS[form].title}` };
    return vscode.window.withProgress(options, work);
  }
}

function isSeen(key: string): boolean {
  return vscode.window.visibleTextEditors.some((editor) => editor.document.uri.toString() === key);
}

function isOpen(key: string): boolean {
  return vscode.workspace.textDocuments.some((one) => one.uri.toString() === key);
}

export function registerGenerated({ server }: Parts): vscode.Disposable {
  const documents = new GeneratedDocuments(server);
  return vscode.Disposable.from(
    new LitLines((uri) => documents.at(uri)),
    documents,
  );
}
