/**
 * The runs and profiles that this window has asked for: one at a time, followed to its end. Must not show anything, nor
 * import `vscode`.
 */
import type { About } from "./lsp.js";
import type { ProfileEnd } from "./profileTypes.js";
import type { Requests } from "./requests.js";
import type { Progress, RunRequest, RunResult } from "./runTypes.js";
import { Signal } from "./signal.js";
import type { ServerState } from "./state.js";

interface Disposable {
  dispose(): unknown;
}

/** What is needed of the server (client.ts). */
export interface RunServer {
  request<M extends "croqtile/run" | "croqtile/runCancel">(method: M, params: Requests[M]["params"]): Promise<Requests[M]["result"]>;
  onNotice(name: "croqtile/runProgress", listener: (news: Progress) => void): Disposable;
  onNotice(name: "croqtile/runResult", listener: (result: Result) => void): Disposable;
  onDidChangeState(listener: (state: ServerState) => void): Disposable;
}

/** A run under way. */
export interface Running {
  readonly id: number;
  readonly request: RunRequest;
}

/** A run that has ended: what was asked for, and what came of it. */
export interface Ended {
  readonly request: RunRequest;
  readonly result: RunResult;
}

/** `started` is false where another run, or a profile, is under way; `end` is then that one's. */
export type Start =
  | { readonly started: true; readonly end: Promise<Ended> }
  | { readonly started: false; readonly end: Promise<void> };

type Result = RunResult | ProfileEnd;

/** The events tell of runs alone; of a profile who asked for it. */
export class Runs implements Disposable {
  private readonly starts = new Signal<Running>();
  private readonly progresses = new Signal<Progress>();
  private readonly ends = new Signal<Ended>();
  private readonly parts: readonly Disposable[];
  /** A result that came before the answer to its request, and those who wait for one. */
  private readonly early = new Map<number, Result>();
  private readonly waiting = new Map<number, ((result: Result) => void)[]>();
  private running: Running | undefined;
  private newest: Ended | undefined;

  readonly onDidStart = this.starts.event;
  readonly onDidProgress = this.progresses.event;
  readonly onDidEnd = this.ends.event;

  constructor(private readonly server: RunServer) {
    this.parts = [
      server.onNotice("croqtile/runProgress", (news) => this.progresses.fire(news)),
      server.onNotice("croqtile/runResult", (result) => this.take(result)),
      server.onDidChangeState((state) => state.kind !== "running" && this.abandon()),
      this.starts,
      this.progresses,
      this.ends,
    ];
  }

  get current(): Running | undefined {
    return this.running;
  }

  /** The last run that came to an end in this window. */
  get last(): Ended | undefined {
    return this.newest;
  }

  /** Throws Refusal where no server runs, or where it does not run this. */
  async start(request: RunRequest): Promise<Start> {
    const { id, started } = await this.server.request("croqtile/run", request);
    if (!started) {
      return { started, end: this.end(id).then(() => undefined) };
    }
    const end = this.ended(id, request);
    this.running = { id, request };
    this.starts.fire(this.running);
    return { started, end };
  }

  /**
   * Measures where the time goes, with `force` in spite of a verdict that fails; undefined where a run or a profile is under
   * way. Throws Refusal as `start` does.
   */
  async profile(about: About, force: boolean): Promise<ProfileEnd | undefined> {
    const { id, started } = await this.server.request("croqtile/run", { ...about, task: "profile", ...(force ? { force } : {}) });
    if (!started) {
      return undefined;
    }
    return this.end<ProfileEnd>(id);
  }

  /** Whether a run was under way. */
  async cancel(id?: number): Promise<boolean> {
    return (await this.server.request("croqtile/runCancel", id === undefined ? {} : { id })).cancelled;
  }

  dispose(): void {
    this.abandon();
    this.parts.forEach((part) => part.dispose());
  }

  private async ended(id: number, request: RunRequest): Promise<Ended> {
    const result = await this.end<RunResult>(id);
    if (this.running?.id === id) {
      this.running = undefined;
    }
    const ended = { request, result };
    this.newest = ended;
    this.ends.fire(ended);
    return ended;
  }

  /** What comes is what was asked for under this number. */
  private async end<T extends Result>(id: number): Promise<T> {
    const early = this.early.get(id);
    this.early.delete(id);
    return (early ?? (await new Promise<Result>((resolve) => this.waiting.set(id, [...(this.waiting.get(id) ?? []), resolve])))) as T;
  }

  private take(result: Result): void {
    const waiting = this.waiting.get(result.id);
    this.waiting.delete(result.id);
    if (waiting === undefined) {
      this.early.clear(); // one run at a time
      this.early.set(result.id, result);
    } else {
      waiting.forEach((resolve) => resolve(result));
    }
  }

  /** The server is gone, and with it its runs and their numbers. */
  private abandon(): void {
    this.early.clear();
    for (const id of [...this.waiting.keys()]) {
      const request = this.running?.id === id ? this.running.request : undefined;
      this.take({
        id,
        uri: request?.textDocument.uri ?? "",
        documentVersion: 0,
        task: request?.task ?? "run",
        state: "failed",
        message: "the language server ended, and the run with it",
        offer: null,
        result: null,
      });
    }
  }
}
