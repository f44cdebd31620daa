/**
 * The credit-flow panel: the server's page of the document in front, one in the window. It follows the cursor and the
 * edits, shows measured time after a profile, and comes back after a reload. Must not know the language, nor decide what
 * is due (panelState.ts): it carries what the server says to the page.
 */
import * as vscode from "vscode";

import { SECTION } from "../../config.js";
import type { FlowData } from "../../flowTypes.js";
import { type About, type Which, whichOf } from "../../lsp.js";
import type { Parts } from "../../parts.js";
import { LANGUAGE, openedDocument, SCHEMES } from "../../place.js";
import { reasonOf, Refusal } from "../../refusal.js";
import { html } from "../page.js";
import { revealIn } from "../reveal.js";
import { ending, type FlowPage, pageOf } from "./asking.js";
import { Following } from "./following.js";
import { documentOf, type FromPage, heard } from "./messages.js";
import { type Loading, PanelState } from "./panelState.js";
import { waitingPage } from "./waiting.js";

const TYPE = "croqtile.flow";
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
        open.load();
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
    open.begin(page, whichOf(about));
  } else {
    open?.turn(uri, whichOf(about)); // also one that was opened meanwhile
  }
  open?.front();
}

/** Shows measured time in the panel, which it opens where there is none. `version` is that of the text it was measured of. */
export async function showMeasured(parts: Parts, about: About, flow: FlowData, version: number): Promise<void> {
  await showFlowPanel(parts, about);
  open?.show(flow, version, whichOf(about));
}

class FlowPanel {
  private readonly following = new Following({ refresh: (signal) => this.refresh(signal), look: (signal) => this.look(signal) });
  private readonly stepLine = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("croqtile.litLine"),
  });
  private readonly state: PanelState;
  private readonly parts: vscode.Disposable;
  private closed = false;

  constructor(
    private readonly all: Parts,
    private readonly panel: vscode.WebviewPanel,
    uri: vscode.Uri,
  ) {
    this.state = new PanelState(uri.toString(), {
      load: (loading) => void this.make(loading),
      say: (message) => void this.panel.webview.postMessage(message),
      versionOf: (of) => vscode.workspace.textDocuments.find((one) => one.uri.toString() === of)?.version,
      following: this.following,
    });
    panel.webview.options = OPTIONS;
    this.parts = vscode.Disposable.from(
      this.stepLine,
      panel.webview.onDidReceiveMessage((said: unknown) => void this.hear(heard(said))),
      panel.onDidChangeViewState(() => this.panel.visible || this.hidden()),
      panel.onDidDispose(() => this.disposed()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.isSource(textEditor.document) && this.state.moved()),
      vscode.window.onDidChangeActiveTextEditor((editor) => editor !== undefined && this.activated(editor.document)),
      vscode.workspace.onDidOpenTextDocument((document) => this.isSource(document) && this.state.documentOpened()),
      vscode.workspace.onDidChangeTextDocument((event) => event.contentChanges.length > 0 && this.isSource(event.document) && this.edited()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(SECTION) && this.state.unsettled(this.panel.visible)),
      all.server.onDidChangeState(({ kind }) => kind === "running" && this.state.unsettled(this.panel.visible)),
    );
    this.name();
  }

  front(): void {
    this.panel.reveal(undefined, true);
  }

  load(): void {
    this.state.load();
  }

  /** Opens with a page that was asked for before there was a panel. */
  begin(page: FlowPage, which: Which | null): void {
    this.state.opened(page.version, which);
    this.put(page.html);
  }

  turn(uri: vscode.Uri, which: Which | null): void {
    if (uri.toString() !== this.state.uri) {
      this.mark(null);
    }
    this.state.turn(uri.toString(), which);
    this.name();
  }

  show(flow: FlowData, version: number, which: Which | null): void {
    this.state.measured(flow, version, which);
  }

  /** Makes the page; where it cannot be made, one sentence says why. */
  private async make(loading: Loading): Promise<void> {
    this.put(html(waitingPage("Waiting for the language server.")));
    try {
      const page = await pageOf(this.all, vscode.Uri.parse(loading.uri));
      if (this.state.loaded(loading, page.version)) {
        this.put(page.html);
      }
    } catch (error) {
      if (this.state.refused(loading)) {
        this.put(html(waitingPage(reasonOf(error))));
      }
    }
  }

  private put(document: string): void {
    if (!this.closed) {
      this.panel.webview.html = document;
    }
  }

  private name(): void {
    this.panel.title = `Credit flow: ${vscode.Uri.parse(this.state.uri).path.split("/").at(-1) ?? ""}`;
  }

  private isSource(document: vscode.TextDocument): boolean {
    return document.uri.toString() === this.state.uri;
  }

  // --- what happens in the editor ---

  private edited(): void {
    this.mark(null);
    this.state.edited();
  }

  private activated(document: vscode.TextDocument): void {
    const known = document.languageId === LANGUAGE && SCHEMES.includes(document.uri.scheme);
    if (known && this.panel.visible && !this.isSource(document)) {
      this.turn(document.uri, null);
    }
  }

  private hidden(): void {
    this.state.hidden();
    this.mark(null);
  }

  private disposed(): void {
    this.closed = true;
    this.state.hidden();
    this.parts.dispose();
    if (open === this) {
      open = undefined;
    }
  }

  // --- what the page says ---

  private async hear(said: FromPage | undefined): Promise<void> {
    switch (said?.type) {
      case "ready":
        this.state.ready();
        break;
      case "reveal":
        await revealIn(this.state.shown ?? this.state.uri, said.range.start);
        break;
      case "step":
        this.mark(said.range?.start.line ?? null);
        break;
      case undefined:
        break;
    }
  }

  /** Lights the line of the step that is shown, in every editor of its source. */
  private mark(line: number | null): void {
    for (const editor of vscode.window.visibleTextEditors.filter((one) => one.document.uri.toString() === this.state.shown)) {
      editor.setDecorations(this.stepLine, line === null ? [] : [new vscode.Range(line, 0, line, 0)]);
    }
  }

  // --- what the server says ---

  private async refresh(signal: AbortSignal): Promise<void> {
    try {
      const { uri } = this.state;
      const { version } = await openedDocument(uri);
      const result = await ending(signal, (token) => this.all.server.request("croqtile/flow", { textDocument: { uri } }, token));
      if (!signal.aborted) {
        this.state.refreshed(result, version);
      }
    } catch (error) {
      if (!signal.aborted) {
        this.state.say({ type: "note", text: reasonOf(error), stale: true });
      }
    }
  }

  private async look(signal: AbortSignal): Promise<void> {
    const editor = vscode.window.visibleTextEditors.find((one) => this.isSource(one.document));
    if (editor === undefined || !this.state.isCurrent) {
      return;
    }
    const { line, character } = editor.selection.active;
    const params = { textDocument: { uri: this.state.uri }, position: { line, character } };
    try {
      const told = await ending(signal, (token) => this.all.server.request("croqtile/flowAt", params, token));
      if (!signal.aborted) {
        this.state.at(told);
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof Refusal)) {
        this.all.output.warn(`croqtile/flowAt: ${reasonOf(error)}`);
      }
    }
  }
}
