/** The run panel: one a window; follows the runs, asks for the history, comes back after a reload with what it showed. */
import * as vscode from "vscode";

import { argumentsOf } from "../../lsp.js";
import type { Parts } from "../../parts.js";
import { reasonOf, Refusal } from "../../refusal.js";
import type { Ended, Running } from "../../runs.js";
import type { Past, Progress, RunRequest } from "../../runTypes.js";
import { isReady } from "../page.js";
import { revealIn } from "../reveal.js";
import { frame, type Sent } from "./frame.js";
import { type Action, bodyOf } from "./html.js";
import { isKept, type Kept, keptOf } from "./kept.js";
import { busyOf, viewOf } from "./model.js";

const TYPE = "croqtile.runPanel";

const COMMANDS: Readonly<Record<Exclude<Action, "again">, string>> = {
  sim: "croqtile.runSimulator",
  gpu: "croqtile.runGpu",
  verify: "croqtile.verify",
  copy: "croqtile.copyReport",
  cancel: "croqtile.cancelRun",
  force: "croqtile.runAnyway",
};

const CANNOT = '<p class="soft" role="status">What was shown here cannot be shown any more. Run the kernel again.</p>';

let open: RunPanel | undefined;

/** Follows the runs for the panel, and gives one back that was open when the window was reloaded. */
export function registerRunPanel(parts: Parts): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(TYPE, {
    deserializeWebviewPanel: (panel, state: unknown) => {
      const { kept } = (state ?? {}) as { readonly kept?: unknown };
      open?.close();
      open = new RunPanel(parts, panel, isKept(kept) ? kept : undefined);
      return Promise.resolve();
    },
  });
}

/** Opens the panel beside the source, or brings it to the front; `ended` is shown where no run is under way. */
export async function showRunPanel(parts: Parts, ended?: Ended): Promise<void> {
  const known = ended ?? parts.runs.last;
  if (open === undefined && known === undefined && parts.runs.current === undefined) {
    throw new Refusal("Nothing was run yet");
  }
  if (open === undefined) {
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    open = new RunPanel(parts, vscode.window.createWebviewPanel(TYPE, "Croqtile run", column), undefined);
  }
  open.reveal();
  if (known !== undefined && (ended !== undefined || open.shown === undefined) && parts.runs.current === undefined) {
    await open.showEnded(known);
  }
}

/** The run that the panel shows. */
export function shownRun(): Ended | undefined {
  return open?.shown;
}

class RunPanel {
  private running: Running | undefined;
  private progress: Progress | undefined;
  private history: readonly Past[];
  private ended: Ended | undefined;
  private readonly follows: vscode.Disposable[];

  constructor(
    private readonly parts: Parts,
    private readonly panel: vscode.WebviewPanel,
    kept: Kept | undefined,
  ) {
    this.ended = kept?.ended;
    this.history = kept?.history ?? [];
    this.running = parts.runs.current;
    panel.webview.options = { enableScripts: true, localResourceRoots: [] };
    this.follows = [
      parts.runs.onDidStart((running) => this.begin(running)),
      parts.runs.onDidProgress((news) => this.follow(news)),
      parts.runs.onDidEnd((ended) => void this.showEnded(ended)),
      panel.webview.onDidReceiveMessage((said: unknown) => void this.hear(said)),
      panel.onDidDispose(() => {
        vscode.Disposable.from(...this.follows).dispose();
        open = open === this ? undefined : open;
      }),
    ];
    panel.webview.html = frame(); // which says that it is ready, also when it was hidden
  }

  get shown(): Ended | undefined {
    return this.ended;
  }

  reveal(): void {
    if (!this.panel.visible) {
      this.panel.reveal(undefined, true);
    }
  }

  close(): void {
    this.panel.dispose();
  }

  /** Shows a run at once, and with its history as soon as that is there. */
  async showEnded(ended: Ended): Promise<void> {
    this.running = this.parts.runs.current;
    this.ended = ended;
    this.history = [];
    this.draw();
    try {
      const { textDocument } = ended.request;
      const { runs } = await this.parts.server.request("croqtile/runs", { textDocument });
      if (this.ended === ended) {
        this.history = runs;
        this.draw();
      }
    } catch (error) {
      this.parts.output.warn(`croqtile/runs: ${reasonOf(error)}`);
    }
  }

  private begin(running: Running): void {
    this.running = running;
    this.progress = undefined;
    this.draw();
  }

  private follow(news: Progress): void {
    if (this.running?.id === news.id) {
      this.progress = news;
      const { text, share } = busyOf(news);
      this.send({ news: text, share });
    }
  }

  private draw(): void {
    const request = this.running?.request ?? this.ended?.request;
    if (request === undefined) {
      return;
    }
    try {
      this.drawOf(request);
    } catch (error) {
      this.parts.output.error(`The run panel cannot show this run: ${reasonOf(error)}`);
      this.ended = undefined; // kept by another version of the extension, and by the page no longer
      this.history = [];
      this.send({ body: CANNOT, kept: undefined });
    }
  }

  private drawOf(request: RunRequest): void {
    const view = viewOf({
      request,
      file: vscode.Uri.parse(request.textDocument.uri).path.split("/").at(-1) ?? "",
      progress: this.progress,
      running: this.running !== undefined,
      result: this.running === undefined ? this.ended?.result : undefined,
      history: this.history,
      when: localTime,
    });
    this.panel.title = `Run: ${view.title}`;
    this.send({ body: bodyOf(view), kept: this.ended === undefined ? undefined : keptOf(this.ended, this.history) });
  }

  private send(sent: Sent): void {
    void this.panel.webview.postMessage(sent);
  }

  private async hear(said: unknown): Promise<void> {
    if (isReady(said)) {
      this.draw();
      return;
    }
    const request = this.ended?.request ?? this.running?.request;
    const { do: action } = (said ?? {}) as Record<string, unknown>;
    if (request === undefined) {
      return;
    }
    if (typeof action !== "string") {
      await revealIn(request.textDocument.uri, said);
    } else {
      const command = action === "again" ? commandAgain(request) : new Map(Object.entries(COMMANDS)).get(action);
      if (command !== undefined) {
        const [uri, entry, options] = argumentsOf(request);
        await vscode.commands.executeCommand(command, uri, entry, { ...options, task: request.task });
      }
    }
  }
}

/** The command that does once more what was asked for. */
function commandAgain({ task, engine, force }: RunRequest): string {
  if (force === true) {
    return "croqtile.runAnyway";
  }
  return task === "verify" ? "croqtile.verify" : engine === "gpu" ? "croqtile.runGpu" : engine === "sim" ? "croqtile.runSimulator" : "croqtile.run";
}

/** As in "2026-11-30 14:02", in the user's time zone. */
function localTime(at: string): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
