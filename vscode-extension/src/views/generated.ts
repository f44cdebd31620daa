/**
 * What is made of a source, beside it: read-only documents that follow the edits of what they were made of, and are made
 * again after a reload of the window. The old text stays until the new one is there. Must not light lines (litLines.ts).
 */
import * as vscode from "vscode";

import { SECTION } from "../config.js";
import { addressOf, expanded, FORMS, refused, SCHEME, type Shown, shown, stage, type Subject, subjectOf } from "../generatedText.js";
import { type Editor, GeneratedTexts } from "../generatedTexts.js";
import { aboutThe, type Position } from "../lsp.js";
import { moved } from "../moves.js";
import type { Parts } from "../parts.js";
import { openedDocument } from "../place.js";
import { reasonOf, Refusal } from "../refusal.js";
import { LitLines } from "./litLines.js";
import { type FileText, ReadOnlyFiles } from "./readOnlyFiles.js";

class GeneratedDocuments implements Editor, vscode.Disposable {
  private readonly texts = new GeneratedTexts(this);
  private readonly files = new ReadOnlyFiles(SCHEME, async (uri) => this.textOf(uri));
  private readonly parts: vscode.Disposable[];
  /** Where the uses of macros stand by now that texts are made of, by the texts' addresses. */
  private readonly places = new Map<string, { readonly source: string; readonly at: Position }>();

  readonly isSeen = isSeen;
  readonly isOpen = isOpen;

  constructor(private readonly server: Parts["server"]) {
    const { texts } = this;
    this.parts = [
      this.files,
      texts,
      vscode.workspace.onDidChangeTextDocument((event) => this.edited(event)),
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
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri.toString())),
    ];
  }

  /** What is shown at an address, where it is shown. */
  at(uri: vscode.Uri): Shown | undefined {
    return this.texts.at(uri.toString());
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private forget(key: string): void {
    this.places.delete(key);
    this.texts.forget(key);
  }

  renewed(key: string): void {
    this.files.renew(vscode.Uri.parse(key));
  }

  private async textOf(uri: vscode.Uri): Promise<FileText | undefined> {
    const subject = subjectOf(uri.query);
    return subject === undefined ? undefined : this.texts.textOf(uri.toString(), subject);
  }

  private edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const source = document.uri.toString();
    for (const [key, place] of this.places) {
      if (place.source === source) {
        this.places.set(key, { source, at: moved(place.at, contentChanges) });
      }
    }
    this.texts.changed((one) => one.source === source);
  }

  async make(subject: Subject, before: Shown | undefined, begun: () => void): Promise<Shown> {
    const { source, form } = subject;
    const work = async (): Promise<Shown> => {
      try {
        await this.server.ready();
        await openedDocument(source);
        begun();
        return await this.asked(subject, before);
      } catch (error) {
        if (!(error instanceof Refusal)) {
          this.server.output.error(`${form}: ${String(error)}`);
        }
        return refused([reasonOf(error)], form, before);
      }
    };
    const options = { location: vscode.ProgressLocation.Window, title: `Croqtile: making ${FORMS[form].title}` };
    return vscode.window.withProgress(options, work);
  }

  private async asked(subject: Subject, before: Shown | undefined): Promise<Shown> {
    const { source, form, entry, part, at } = subject;
    const about = aboutThe(source, entry, subject);
    switch (form) {
      case "ast":
      case "ir": {
        const after = form === "ast" ? { after: form } : part === undefined ? {} : { after: part };
        return shown(stage(await this.server.request("croqtile/ir", { ...about, ...after })), form, before);
      }
      case "expansion": {
        const key = addressFor(subject).toString();
        const first = at ?? { line: 0, character: 0 };
        const position = before === undefined ? first : (this.places.get(key)?.at ?? first);
        this.places.set(key, { source, at: position });
        return expanded(await this.server.request("croqtile/expansion", { ...about, position }));
      }
      default:
        return shown(await this.server.request("croqtile/generated", { ...about, form }), form, before);
    }
  }
}

/** The address of the document that is made of a subject. */
export function addressFor(subject: Subject): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, ...addressOf(subject) });
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
