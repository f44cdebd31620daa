/**
 * Generated code beside its source: read-only documents that follow the edits of what they were made of, and are made
 * again after a reload of the window. The old text stays until the new one is there. Must not light lines (litLines.ts).
 */
import * as vscode from "vscode";

import { SECTION } from "../config.js";
import { FORMS, refused, SCHEME, type Shown, shown, type Subject, subjectOf } from "../generatedText.js";
import { Later } from "../later.js";
import { aboutThe } from "../lsp.js";
import type { Parts } from "../parts.js";
import { openedDocument } from "../place.js";
import { reasonOf, Refusal } from "../refusal.js";
import { LitLines } from "./litLines.js";
import { type FileText, ReadOnlyFiles } from "./readOnlyFiles.js";

/** The compiler is asked less often than the printer of CUDA. */
const DELAY_MS = { cuda: 300, ptx: 900, sass: 900 } as const;

interface Made extends FileText {
  readonly shown: Shown;
}

class GeneratedDocuments implements vscode.Disposable {
  private readonly texts = new Map<string, Made>();
  /** Texts that are made for the first time. */
  private readonly first = new Map<string, Promise<Made>>();
  /** Those that changed while nobody saw them. */
  private readonly stale = new Set<string>();
  private readonly later = new Later<string>((key) => this.renew(key));
  private readonly files = new ReadOnlyFiles(SCHEME, (uri) => this.textOf(uri));
  private readonly parts: vscode.Disposable[];

  constructor(private readonly server: Parts["server"]) {
    this.parts = [
      this.files,
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.ask((one) => one.source === document.uri.toString())),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SECTION)) {
          this.ask(() => true);
        }
      }),
      server.onDidChangeState((state) => {
        if (state.kind === "running") {
          this.ask(() => true);
        }
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.catchUp()),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri.toString())),
    ];
  }

  /** What is shown at an address, where it is shown. */
  at(uri: vscode.Uri): Shown | undefined {
    return this.texts.get(uri.toString())?.shown;
  }

  dispose(): void {
    this.later.dispose();
    vscode.Disposable.from(...this.parts).dispose();
  }

  /** The editor asks for time and text of a file one after the other: it is made once. */
  private async textOf(uri: vscode.Uri): Promise<FileText | undefined> {
    const key = uri.toString();
    const subject = subjectOf(uri.query);
    const known = this.texts.get(key) ?? this.first.get(key);
    if (known !== undefined || subject === undefined) {
      return known;
    }
    const making = this.make(subject).then((shown) => this.keep(key, shown));
    this.first.set(key, making);
    return making.finally(() => this.first.delete(key));
  }

  /** No two texts of an address are of the same time. */
  private keep(key: string, shown: Shown): Made {
    const made = { shown, text: shown.text, made: Math.max(Date.now(), (this.texts.get(key)?.made ?? 0) + 1) };
    this.texts.set(key, made);
    return made;
  }

  private ask(about: (subject: Subject) => boolean): void {
    for (const key of this.texts.keys()) {
      const subject = subjectOf(vscode.Uri.parse(key).query);
      if (subject === undefined || !about(subject)) {
        continue;
      }
      if (isSeen(key)) {
        this.later.ask(key, DELAY_MS[subject.form]);
      } else {
        this.stale.add(key);
      }
    }
  }

  private catchUp(): void {
    for (const key of this.stale) {
      if (isSeen(key)) {
        this.stale.delete(key);
        this.later.ask(key, 0);
      }
    }
  }

  private forget(key: string): void {
    this.later.forget(key);
    this.texts.delete(key);
    this.stale.delete(key);
  }

  private async renew(key: string): Promise<void> {
    const uri = vscode.Uri.parse(key);
    const subject = subjectOf(uri.query);
    const before = this.texts.get(key)?.shown;
    if (subject === undefined || before === undefined) {
      return;
    }
    const version = versionOf(subject);
    const made = await this.make(subject, before);
    // Of an older text: the edit since has asked for another one.
    if (this.texts.has(key) && version === versionOf(subject)) {
      this.keep(key, made);
      this.files.renew(uri);
    }
  }

  private async make(subject: Subject, before?: Shown): Promise<Shown> {
    const { source, form, entry } = subject;
    const work = async (): Promise<Shown> => {
      try {
        await this.server.ready();
        await openedDocument(source);
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

function versionOf(subject: Subject): number | undefined {
  return vscode.workspace.textDocuments.find((one) => one.uri.toString() === subject.source)?.version;
}

export function registerGenerated({ server }: Parts): vscode.Disposable {
  const documents = new GeneratedDocuments(server);
  return vscode.Disposable.from(
    new LitLines((uri) => documents.at(uri)),
    documents,
  );
}
