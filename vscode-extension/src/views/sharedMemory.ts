/** The panel of shared memory: follows the edits of its source, lights what the cursor is on. One panel a subject. */
import * as vscode from "vscode";

import type { Server } from "../client.js";
import { SECTION } from "../config.js";
import { Later } from "../later.js";
import { type About, calledIn } from "../lsp.js";
import type { Parts } from "../parts.js";
import { openedDocument } from "../place.js";
import type { SharedMemory } from "../requests.js";
import { html, isReady, type Lit } from "./page.js";
import { revealIn } from "./reveal.js";
import { aboutIn, sharedMemoryPage } from "./sharedMemoryPage.js";
import { SharedMemoryState } from "./sharedMemoryState.js";

const TYPE = "croqtile.sharedMemory";
const DELAY_MS = 300;

const open = new Map<string, SharedMemoryPanel>();

/** Opens the panel, or brings the one that there is to the front. */
export function showSharedMemoryPanel({ server }: Parts, about: About): void {
  const panel = open.get(JSON.stringify(about)) ?? make(server, about);
  panel.reveal();
  panel.ask(0);
}

/** Panels come back after the window was loaded anew: each page keeps what it is about. */
export function registerSharedMemory({ server }: Parts): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(TYPE, {
    // Resolves before the server answers: until then the editor shows nothing of the panel.
    deserializeWebviewPanel: (panel, state: unknown) => {
      const about = aboutIn(state);
      if (about === undefined || open.has(JSON.stringify(about))) {
        panel.dispose();
      } else {
        make(server, about, panel).ask(0);
      }
      return Promise.resolve();
    },
  });
}

function make(server: Server, about: About, at?: vscode.WebviewPanel): SharedMemoryPanel {
  const key = JSON.stringify(about);
  const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
  const panel = at ?? vscode.window.createWebviewPanel(TYPE, "Shared memory", column);
  const made = new SharedMemoryPanel(server, about, panel, () => open.delete(key));
  open.set(key, made);
  return made;
}

class SharedMemoryPanel {
  /** One question at a time: an older answer never comes behind a newer one. */
  private readonly later = new Later<"">(() => this.state.renew());
  private readonly source: string;
  private readonly state: SharedMemoryState;

  constructor(
    private readonly server: Server,
    private readonly about: About,
    private readonly panel: vscode.WebviewPanel,
    onClose: () => void,
  ) {
    this.source = about.textDocument.uri;
    this.panel.webview.options = { enableScripts: true, localResourceRoots: [] };
    this.state = new SharedMemoryState({
      ask: async () => {
        await server.ready();
        await openedDocument(this.source);
        return server.request("croqtile/sharedMemory", about);
      },
      draw: (layout, said) => this.draw(layout, said),
      warn: (text) => server.output.error(text),
    });
    const again = (): void => this.ask(DELAY_MS);
    const parts = [
      this.panel.webview.onDidReceiveMessage((said: unknown) => (isReady(said) ? this.light() : void revealIn(this.source, said))),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.isSource(document) && again()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(SECTION) && again()),
      this.server.onDidChangeState((state) => state.kind === "running" && again()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.isSource(textEditor.document) && this.light()),
      this.later,
    ];
    this.panel.onDidDispose(() => {
      this.state.close();
      vscode.Disposable.from(...parts).dispose();
      onClose();
    });
  }

  reveal(): void {
    this.panel.reveal(undefined, true);
  }

  ask(delayMs: number): void {
    this.later.ask("", delayMs);
  }

  private draw(layout: SharedMemory | undefined, said: string | undefined): void {
    const file = vscode.workspace.asRelativePath(vscode.Uri.parse(this.source));
    this.panel.title = `Shared memory · ${calledIn(this.about) ?? file.split("/").at(-1)}`;
    this.panel.webview.html = html(sharedMemoryPage(file, layout, this.about, said));
  }

  private isSource(document: vscode.TextDocument): boolean {
    return document.uri.toString() === this.source;
  }

  private light(): void {
    const editor = vscode.window.visibleTextEditors.find((one) => this.isSource(one.document));
    const lit = this.state.litBy(editor?.selection.active.line);
    void this.panel.webview.postMessage({ lit } satisfies Lit);
  }
}
