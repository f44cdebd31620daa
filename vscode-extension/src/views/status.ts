/** The status item of Croqtile files: the server's health in a sign, dialect and engine in a word, the rest behind it. */
import * as vscode from "vscode";

import { SECTION } from "../config.js";
import { Later } from "../later.js";
import { askDoctor, onReport } from "../machine.js";
import type { Parts } from "../parts.js";
import { LANGUAGE } from "../place.js";
import type { Doctor, DocumentFacts } from "../requests.js";
import type { Shown } from "../state.js";
import { type Status, statusOf } from "../statusText.js";

/** The doctor loads the libraries of CUDA: not while the server answers its first questions. */
const DOCTOR_MS = 4000;
const FACTS_MS = 400;

const COLORS: Readonly<Record<Shown["severity"], string | undefined>> = {
  information: undefined,
  warning: "statusBarItem.warningBackground",
  error: "statusBarItem.errorBackground",
};
const ACTIONS = [
  ["Doctor", "croqtile.doctor"],
  ["Choose Environment", "croqtile.chooseEnvironment"],
  ["Restart", "croqtile.restartServer"],
  ["Output", "croqtile.showOutput"],
] as const;

class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("croqtile.status", vscode.StatusBarAlignment.Right, 100);
  private readonly later = new Later<"facts" | "doctor">((what) => (what === "facts" ? this.askFacts() : this.askDoctor()));
  private readonly parts: vscode.Disposable[];
  private facts: { readonly uri: string; readonly of: DocumentFacts } | undefined;
  private report: Doctor | undefined;

  constructor(private readonly server: Parts["server"]) {
    this.item.name = "Croqtile";
    this.parts = [
      this.item,
      this.later,
      server.onDidChangeState((state) => {
        this.report = undefined; // another environment may have other engines
        if (state.kind === "running") {
          this.later.ask("facts", 0);
          this.later.ask("doctor", DOCTOR_MS);
        }
        this.update();
      }),
      onReport((report) => {
        this.report = report;
        this.update();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.follow()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => document === front() && this.later.ask("facts", FACTS_MS)),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(SECTION) && this.later.ask("facts", FACTS_MS)),
    ];
    this.follow();
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private follow(): void {
    if (front() === undefined) {
      this.item.hide();
      return;
    }
    this.later.ask("facts", 0);
    this.update();
    this.item.show();
  }

  private update(): void {
    const uri = front()?.uri.toString();
    const facts = this.facts?.uri === uri ? this.facts?.of : undefined;
    const status = statusOf(this.server.state, facts, this.report);
    this.item.text = status.text;
    this.item.tooltip = tooltipOf(status);
    this.item.command = status.command;
    this.item.accessibilityInformation = { label: status.rows.map(([name, value]) => `${name}: ${value}`).join(", ") };
    const color = COLORS[status.severity];
    this.item.backgroundColor = color === undefined ? undefined : new vscode.ThemeColor(color);
  }

  private async askFacts(): Promise<void> {
    const uri = front()?.uri.toString();
    if (uri === undefined || this.server.state.kind !== "running") {
      return;
    }
    try {
      this.facts = { uri, of: await this.server.request("croqtile/document", { textDocument: { uri } }) };
    } catch {
      this.facts = undefined; // closed meanwhile, or of a kind that the server is not told of
    }
    this.update();
  }

  /** Asked once a server, as soon as a Croqtile file is in front; the command asks again. */
  private async askDoctor(): Promise<void> {
    if (this.report !== undefined || this.server.state.kind !== "running") {
      return;
    }
    try {
      await askDoctor(this.server);
    } catch (error) {
      this.server.output.warn(`croqtile/doctor: ${String(error)}`);
    }
  }
}

function front(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === LANGUAGE ? document : undefined;
}

function tooltipOf({ rows }: Status): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString("", true);
  tooltip.isTrusted = { enabledCommands: ACTIONS.map(([, command]) => command) };
  tooltip.appendMarkdown("**Croqtile**\n\n| | |\n|---|---|\n");
  for (const [name, value] of rows) {
    tooltip.appendMarkdown(`| ${name} | `).appendText(value).appendMarkdown(" |\n");
  }
  return tooltip.appendMarkdown(`\n\n${ACTIONS.map(([title, command]) => `[${title}](command:${command})`).join(" · ")}`);
}

export function registerStatus({ server }: Parts): vscode.Disposable {
  return new StatusItem(server);
}
