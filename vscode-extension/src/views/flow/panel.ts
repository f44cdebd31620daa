/**
 * The credit-flow panel: the server's page of the document in front, one in the window. It follows the cursor and the
 * edits, shows measured time after a profile, and comes back after a reload. Must not know the language: it carries
 * what the server says to the page.
 */
import * as vscode from "vscode";

import { LANGUAGE, openedDocument, SCHEMES } from "../../commands/place.js";
import { SECTION } from "../../config.js";
import { type Parts, Refusal } from "../../parts.js";
import type { About, FlowData } from "../../requests.js";
import { ending, newNonce, type Page, pageOf, wordsOf } from "./asking.js";
import { Following } from "./following.js";
import { documentOf, type FromPage, heard, type ToPage } from "./messages.js";
import { waitingPage } from "./waiting.js";
import { revealIn } from "../reveal.js";

const TYPE = "croqtile.flow";
/** The version of no text: the page is one of another document. */
const OTHER = -1;
const OPTIONS: vscode.WebviewOptions = { enableScripts: true, localResourceRoots: [] };

let open: FlowPanel | undefined;

/** Gives the panel back that was open when the window was reloaded. */
export function registerFlowPanel(parts: Parts): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(TYPE, {
    // Resolves before the server answers: until then the editor shows nothing of the panel.
    deserializeWebviewPanel: (panel, state) => {
      const uri = documentOf(state);
      if (uri === undefined || open !== undefined) {
        panel.dispose();
      } else {
        open = new FlowPanel(parts, panel, vscode.Uri.parse(uri));
        void open.load();
      }
      return Promise.resolve();
    },
  });
}

/** Opens the panel beside the source, or turns the one that is open to it. Throws Refusal where there is no page to show. */
export async function showFlowPanel(parts: Parts, about: About): Promise<void> {
  const uri = vscode.Uri.parse(about.textDocument.uri);
  const page = open === undefined ? await pageOf(parts, uri) : undefined; // a refusal is a message, not an empty panel
  if (open === undefined && page !== undefined) {
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    open = new FlowPanel(parts, vscode.window.createWebviewPanel(TYPE, "Credit flow", place, OPTIONS), uri);
    open.put(page, about.entry ?? null);
  } else {
    open?.turn(uri, about.entry ?? null); // also one that was opened meanwhile
  }
  open?.front();
}

/** Shows measured time in the panel, which it opens where there is none. `version` is that of the text it was measured of. */
export async function showMeasured(parts: Parts, about: About, flow: FlowData, version: number): Promise<void> {
  await showFlowPanel(parts, about);
  open?.show(flow, version, about.entry ?? null);
}

class FlowPanel {
  private readonly following = new Following({ refresh: (signal) => this.refresh(signal), look: (signal) => this.look(signal) });
  private readonly stepLine = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("croqtile.litLine"),
  });
  private readonly parts: vscode.Disposable;
  /** The newest data that is not in the page's own text; with times from a card where it was measured. */
  private newest: FlowData | undefined;
  private measured = false;
  /** Of the text that page and data are of; undefined while the server's page is not there. */
  private version: number | undefined;
  /** What the page is to open with the next data; null for the kernel that matters most. */
  private wanted: string | null | undefined;
  /** The function that was asked for by name: a cursor that stands elsewhere does not lead away from it. */
  private named: string | undefined;
  /** The page is there and listens. */
  private ready = false;
  private closed = false;

  constructor(
    private readonly all: Parts,
    private readonly panel: vscode.WebviewPanel,
    private uri: vscode.Uri,
  ) {
    panel.webview.options = OPTIONS;
    this.parts = vscode.Disposable.from(
      this.stepLine,
      panel.webview.onDidReceiveMessage((said: unknown) => void this.hear(heard(said))),
      panel.onDidChangeViewState(() => this.panel.visible || this.hidden()),
      panel.onDidDispose(() => this.disposed()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.isSource(textEditor.document) && this.moved()),
      vscode.window.onDidChangeActiveTextEditor((editor) => editor !== undefined && this.activated(editor.document)),
      vscode.workspace.onDidOpenTextDocument((document) => this.isSource(document) && this.ready && this.following.anew()),
      vscode.workspace.onDidChangeTextDocument((event) => event.contentChanges.length > 0 && this.isSource(event.document) && this.edited()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(SECTION) && this.unsettled()),
      all.server.onDidChangeState(({ kind }) => kind === "running" && this.unsettled()),
    );
    this.name();
  }

  front(): void {
    this.panel.reveal(undefined, true);
  }

  /** Makes the page; where it cannot be made, one sentence says why. */
  async load(): Promise<void> {
    this.put({ html: waitingPage("Waiting for the language server.", newNonce()), version: undefined }, undefined);
    try {
      this.put(await pageOf(this.all, this.uri), undefined);
    } catch (error) {
      this.put({ html: waitingPage(wordsOf(error), newNonce()), version: undefined }, undefined);
    }
  }

  put({ html, version }: Page, wanted: string | null | undefined): void {
    this.newest = undefined;
    this.measured = false;
    this.version = version;
    this.want(wanted);
    this.ready = false;
    if (!this.closed) {
      this.panel.webview.html = html;
    }
  }

  /** To a document, and a function of it; null for the kernel that matters most. */
  turn(uri: vscode.Uri, entry: string | null): void {
    this.want(entry);
    if (uri.toString() === this.uri.toString() && this.version !== undefined) {
      this.tell();
      return;
    }
    this.uri = uri;
    this.newest = undefined;
    this.measured = false;
    this.version = this.version === undefined ? undefined : OTHER;
    this.name();
    this.say({ type: "note", text: "", stale: true });
    this.renew();
  }

  show(flow: FlowData, version: number, entry: string | null): void {
    this.following.stop();
    this.newest = flow;
    this.measured = true;
    this.version = version;
    this.want(entry);
    this.tell();
  }

  private want(entry: string | null | undefined): void {
    this.wanted = entry;
    this.named = entry ?? undefined;
  }

  private name(): void {
    this.panel.title = `Credit flow: ${this.uri.path.split("/").at(-1) ?? ""}`;
  }

  private isSource(document: vscode.TextDocument): boolean {
    return document.uri.toString() === this.uri.toString();
  }

  /** A page that is not there is told all once it is. */
  private say(message: ToPage): void {
    if (this.ready) {
      void this.panel.webview.postMessage(message);
    }
  }

  // --- what happens in the editor ---

  private moved(): void {
    if (this.ready) {
      this.named = undefined;
      this.following.moved();
    }
  }

  private edited(): void {
    if (this.ready) {
      this.mark(null);
      this.say({ type: "note", text: "", stale: true });
      this.following.edited();
    }
  }

  private activated(document: vscode.TextDocument): void {
    const known = document.languageId === LANGUAGE && SCHEMES.includes(document.uri.scheme);
    if (known && this.panel.visible && !this.isSource(document)) {
      this.turn(document.uri, null);
    }
  }

  /** A server has started, or has other settings. Measured times stay those of the text. */
  private unsettled(): void {
    if (this.panel.visible && !this.measured) {
      this.renew();
    }
  }

  private renew(): void {
    if (this.version === undefined) {
      void this.load();
    } else {
      this.following.anew();
    }
  }

  /** Its page is gone, and begins anew when it is seen again. */
  private hidden(): void {
    this.ready = false;
    this.following.stop();
    this.mark(null);
  }

  private disposed(): void {
    this.closed = true;
    this.ready = false;
    this.following.stop();
    this.parts.dispose();
    if (open === this) {
      open = undefined;
    }
  }

  // --- what the page says ---

  private async hear(said: FromPage | undefined): Promise<void> {
    switch (said?.type) {
      case "ready":
        this.ready = true;
        this.tell();
        break;
      case "reveal":
        await revealIn(this.uri.toString(), said.range.start);
        break;
      case "step":
        this.mark(said.range?.start.line ?? null);
        break;
      case undefined:
        break;
    }
  }

  /** What the page does not know yet. One that was hidden has begun anew, with the data that it was made of. */
  private tell(): void {
    if (!this.ready) {
      return;
    }
    if (this.version === OTHER) {
      this.following.anew();
      return;
    }
    if (this.newest !== undefined) {
      this.tellFlow(this.newest);
    } else if (typeof this.wanted === "string") {
      this.say({ type: "open", function: this.wanted });
    }
    this.wanted = undefined;
    this.say({ type: "document", uri: this.uri.toString() });
    const document = vscode.workspace.textDocuments.find((one) => this.isSource(one));
    if (document === undefined || document.version === this.version) {
      this.following.moved();
    } else if (this.measured) {
      this.say({ type: "note", text: "Measured before the last edit: the lines may have moved.", stale: false });
    } else {
      this.following.anew();
    }
  }

  private tellFlow(result: FlowData): void {
    this.say({ type: "flow", result, ...(this.wanted === undefined ? {} : { open: this.wanted }) });
    this.wanted = undefined;
    this.say({ type: "document", uri: this.uri.toString() });
  }

  private editor(): vscode.TextEditor | undefined {
    return vscode.window.visibleTextEditors.find((editor) => this.isSource(editor.document));
  }

  /** Lights the line of the step that is shown, in every editor of the source. */
  private mark(line: number | null): void {
    for (const editor of vscode.window.visibleTextEditors.filter((one) => this.isSource(one.document))) {
      editor.setDecorations(this.stepLine, line === null ? [] : [new vscode.Range(line, 0, line, 0)]);
    }
  }

  // --- what the server says ---

  private async refresh(signal: AbortSignal): Promise<void> {
    try {
      const { version } = await openedDocument(this.uri.toString());
      const result = await ending(signal, (token) =>
        this.all.server.request("croqtile/flow", { textDocument: { uri: this.uri.toString() } }, token),
      );
      if (signal.aborted) {
        return;
      }
      this.newest = result;
      this.measured = false;
      this.version = version;
      if (this.ready) {
        this.tellFlow(result);
      }
    } catch (error) {
      if (!signal.aborted) {
        this.say({ type: "note", text: wordsOf(error), stale: true });
      }
    }
  }

  private async look(signal: AbortSignal): Promise<void> {
    const editor = this.editor();
    if (editor === undefined || this.version === OTHER) {
      return;
    }
    const { line, character } = editor.selection.active;
    const params = { textDocument: { uri: this.uri.toString() }, position: { line, character } };
    try {
      const told = await ending(signal, (token) => this.all.server.request("croqtile/flowAt", params, token));
      if (!signal.aborted && (this.named === undefined || this.named === told.function)) {
        this.say({ type: "at", told });
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof Refusal)) {
        this.all.output.warn(`croqtile/flowAt: ${wordsOf(error)}`);
      }
    }
  }
}
