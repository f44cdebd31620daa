/** The tree of kernels, events and buffers: of the Croqtile file in front, or the last one that was. */
import * as vscode from "vscode";

import { Later } from "../later.js";
import { type About, numbered } from "../lsp.js";
import type { Parts } from "../parts.js";
import { LANGUAGE } from "../place.js";
import { type Entry, kernels, type Outlined } from "./kernelTree.js";
import { rangeOf } from "./ranges.js";

const VIEW = "croqtile.kernels";
const DELAY_MS = 400;
const ICONS: Readonly<Record<Entry["kind"], string>> = { kernel: "symbol-function", event: "symbol-event", buffer: "symbol-array" };

/** What the buttons of a row are handed; place.ts reads `about`. */
interface Row extends Entry {
  readonly about: About;
}

class Kernels implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly later = new Later<"">(() => this.renew());
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly parts: vscode.Disposable[];
  private document: vscode.TextDocument | undefined;
  private rows: readonly Row[] = [];

  readonly onDidChangeTreeData = this.changed.event;

  constructor({ server }: Parts) {
    this.parts = [
      this.later,
      this.changed,
      vscode.window.onDidChangeActiveTextEditor(() => this.follow()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => document === this.document && this.later.ask("", DELAY_MS)),
      vscode.workspace.onDidCloseTextDocument((document) => document === this.document && this.show(undefined)),
      server.onDidChangeState(() => this.later.ask("", 0)),
    ];
    this.follow();
  }

  getChildren(row?: Row): Row[] {
    return row === undefined ? [...this.rows] : row.children.map((child) => ({ ...child, about: row.about }));
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const open = row.children.length > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None;
    const item = new vscode.TreeItem(row.name, open);
    item.description = row.detail;
    item.tooltip = new vscode.MarkdownString().appendCodeblock(`${row.name} ${row.detail}`.trim(), LANGUAGE);
    item.iconPath = new vscode.ThemeIcon(ICONS[row.kind]);
    item.contextValue = row.kind;
    item.accessibilityInformation = { label: `${row.kind} ${row.name}, ${row.detail}` };
    const selection = rangeOf(row.range);
    const uri = vscode.Uri.parse(row.about.textDocument.uri);
    item.command = { command: "vscode.open", title: "Go to Declaration", arguments: [uri, { selection }] };
    return item;
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private follow(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId === LANGUAGE && document !== this.document) {
      this.show(document);
    }
  }

  private show(document: vscode.TextDocument | undefined): void {
    this.document = document;
    this.later.ask("", 0);
  }

  private async renew(): Promise<void> {
    const document = this.document;
    const outline = document === undefined ? [] : await outlineOf(document.uri);
    if (document === this.document) {
      const textDocument = { uri: document === undefined ? "" : document.uri.toString() };
      this.rows = kernels(outline).map((one, _, all) => ({ ...one, about: { textDocument, ...numbered(one, all) } }));
      this.changed.fire(undefined);
    }
  }
}

async function outlineOf(uri: vscode.Uri): Promise<readonly Outlined[]> {
  try {
    return (await vscode.commands.executeCommand<Outlined[] | undefined>("vscode.executeDocumentSymbolProvider", uri)) ?? [];
  } catch {
    return []; // without a server there is no outline
  }
}

export function registerKernels(parts: Parts): vscode.Disposable {
  const provider = new Kernels(parts);
  return vscode.Disposable.from(vscode.window.registerTreeDataProvider(VIEW, provider), provider);
}
