/** The Test Explorer's kernels: each run line of a kernel with an expectation is a test, as the server lists them. */
import * as vscode from "vscode";

import { Later } from "../../later.js";
import type { Parts } from "../../parts.js";
import { LANGUAGE, openedDocument } from "../../place.js";
import { reasonOf } from "../../refusal.js";
import type { KernelTest, TestFile } from "../../runTypes.js";
import { rangeOf } from "../ranges.js";
import { demandTrust } from "../../trust.js";
import { showRunPanel } from "../runPanel/panel.js";
import type { Message, Outcome } from "./outcome.js";
import { type Chosen, groupsOf, isOfOne, nameOf } from "./plan.js";
import { type Manner, Running, type Telling } from "./running.js";

const ID = "croqtile";
const DELAY_MS = 300;

const PROFILES: readonly (readonly [string, vscode.TestRunProfileKind, Manner])[] = [
  ["Run in the Simulator", vscode.TestRunProfileKind.Run, { task: "run", engine: "sim" }],
  ["Run on GPU", vscode.TestRunProfileKind.Run, { task: "run", engine: "gpu" }],
  ["Verify", vscode.TestRunProfileKind.Run, { task: "verify" }],
  ["Debug Report", vscode.TestRunProfileKind.Debug, { task: "run", engine: "sim", panel: true }],
];

export function registerTests(parts: Parts): vscode.Disposable {
  return new KernelTests(parts);
}

class KernelTests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController(ID, "Croqtile Kernels");
  private readonly tests = new WeakMap<vscode.TestItem, KernelTest>();
  private readonly later = new Later<string>((uri) => this.renew(uri));
  private readonly follows: vscode.Disposable[];

  constructor(private readonly parts: Parts) {
    this.controller.resolveHandler = (item) => (item === undefined ? this.discover() : undefined);
    this.controller.refreshHandler = () => this.discover();
    PROFILES.forEach(([title, kind, manner], at) => {
      this.controller.createRunProfile(title, kind, (request, token) => this.run(request, token, manner), at === 0 || manner.panel === true);
    });
    const files = vscode.workspace.createFileSystemWatcher("**/*.co");
    const later = (uri: vscode.Uri): void => this.later.ask(uri.toString(), DELAY_MS);
    const isOurs = (document: vscode.TextDocument): boolean => document.languageId === LANGUAGE && document.uri.scheme === "file";
    this.follows = [
      this.later,
      this.controller,
      files,
      files.onDidCreate(later),
      files.onDidChange(later),
      files.onDidDelete((uri) => this.controller.items.delete(uri.toString())),
      vscode.workspace.onDidOpenTextDocument((document) => isOurs(document) && later(document.uri)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => isOurs(document) && later(document.uri)),
      parts.server.onDidChangeState((state) => state.kind === "running" && void this.discover()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.follows).dispose();
  }

  // --- finding ---------------------------------------------------------------------------------

  private async discover(): Promise<void> {
    const files = await this.ask();
    if (files !== undefined) {
      this.controller.items.replace(files.filter((file) => file.tests.length > 0).map((file) => this.itemOf(file)));
    }
  }

  private async renew(uri: string): Promise<void> {
    const file = (await this.ask(uri))?.[0];
    if (file?.tests.length === 0) {
      this.controller.items.delete(idOf(uri));
    } else if (file !== undefined) {
      this.controller.items.add(this.itemOf(file));
    }
  }

  /** The tests of a file or of the workspace; undefined where no server answers, who says so elsewhere. */
  private async ask(uri?: string): Promise<readonly TestFile[] | undefined> {
    if (this.parts.server.state.kind !== "running") {
      return undefined;
    }
    try {
      return (await this.parts.server.request("croqtile/tests", uri === undefined ? {} : { textDocument: { uri } })).files;
    } catch (error) {
      this.parts.output.warn(`croqtile/tests: ${reasonOf(error)}`);
      return undefined;
    }
  }

  private itemOf(file: TestFile): vscode.TestItem {
    const uri = vscode.Uri.parse(file.uri);
    const item = this.controller.createTestItem(idOf(file.uri), uri.path.split("/").at(-1) ?? file.uri, uri);
    item.description = vscode.workspace.asRelativePath(uri).replace(/\/?[^/]*$/, "");
    item.children.replace(
      file.tests.map((test, at) => {
        const { label, description } = nameOf(test, file.tests);
        const child = this.controller.createTestItem(`${idOf(file.uri)}#${test.function}#${test.overload}#${test.runLine ?? "-"}`, label, uri);
        child.description = description;
        child.range = rangeOf(test.range);
        child.sortText = String(at).padStart(5, "0");
        this.tests.set(child, test);
        return child;
      }),
    );
    return item;
  }

  // --- running ---------------------------------------------------------------------------------

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken, manner: Manner): Promise<void> {
    const run = this.controller.createTestRun(request);
    const groups = groupsOf(this.chosen(request));
    groups.forEach(({ items }) => items.forEach((item) => run.enqueued(item)));
    const telling: Telling<vscode.TestItem> = {
      started: (item) => run.started(item),
      skipped: (item) => run.skipped(item),
      errored: (item, text) => run.errored(item, new vscode.TestMessage(text)),
      ended: (item, outcome) => tell(run, item, outcome),
      prepare: async (uri) => {
        demandTrust();
        await openedDocument(uri);
      },
      showPanel: () => showRunPanel(this.parts),
    };
    try {
      await new Running(this.parts.runs, telling, manner, token).all(groups);
    } finally {
      run.end();
    }
  }

  private chosen(request: vscode.TestRunRequest): Chosen<vscode.TestItem>[] {
    const found: Chosen<vscode.TestItem>[] = [];
    const excluded = new Set(request.exclude ?? []);
    const visit = (item: vscode.TestItem): void => {
      const test = this.tests.get(item);
      if (excluded.has(item)) {
        return;
      }
      if (test !== undefined && item.uri !== undefined) {
        const all = [...(item.parent?.children ?? [])].filter(([, other]) => isOfOne(this.tests.get(other), test));
        found.push({ item, uri: item.uri.toString(), test, ofFunction: all.length });
      }
      item.children.forEach(visit);
    };
    (request.include ?? [...this.controller.items].map(([, item]) => item)).forEach(visit);
    return found;
  }
}

function tell(run: vscode.TestRun, item: vscode.TestItem, outcome: Outcome): void {
  run.appendOutput(`${outcome.report.replace(/\r?\n/g, "\r\n")}\r\n\r\n`, undefined, item);
  const messages = outcome.messages.map((message) => messageOf(item, message));
  const ms = outcome.seconds * 1000;
  switch (outcome.kind) {
    case "passed":
      run.passed(item, ms);
      break;
    case "failed":
      run.failed(item, messages, ms);
      break;
    case "errored":
      run.errored(item, messages, ms);
      break;
  }
}

function messageOf(item: vscode.TestItem, { text, range, diff }: Message): vscode.TestMessage {
  const message = diff === undefined ? new vscode.TestMessage(text) : vscode.TestMessage.diff(text, diff.expected, diff.actual);
  const place = range === undefined ? item.range : rangeOf(range);
  if (item.uri !== undefined && place !== undefined) {
    message.location = new vscode.Location(item.uri, place);
  }
  return message;
}

/** One spelling of an address: the server's may differ from the editor's. */
function idOf(uri: string): string {
  return vscode.Uri.parse(uri).toString();
}
