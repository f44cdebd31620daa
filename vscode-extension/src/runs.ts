/** The runs and profiles that this window has asked for: one at a time, followed to its end. Must not show anything. */
import * as vscode from "vscode";

import type { Server } from "./client.js";
import type { ProfileEnd } from "./profileTypes.js";
import type { About } from "./requests.js";
import type { Progress, RunRequest, RunResult } from "./runTypes.js";

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
  | { readonly started: false; readonly end: Promise<unknown> };

type Any = RunResult | ProfileEnd;

/** The events tell of runs alone; of a profile who asked for it. */
export class Runs implements vscode.Disposable {
  private readonly starts = new vscode.EventEmitter<Running>();
  private readonly progresses = new vscode.EventEmitter<Progress>();
  private readonly ends = new vscode.EventEmitter<Ended>();
  private readonly parts: vscode.Disposable[];
  /** A result that came before the answer to its request, and those who wait for one. */
  private readonly early = new Map<number, Any>();
  private readonly waiting = new Map<number, (result: Any) => void>();
  private running: (Running & { readonly end: Promise<Ended> }) | undefined;
  private profiling: Promise<ProfileEnd> | undefined;
  private newest: Ended | undefined;

  readonly onDidStart = this.starts.event;
  readonly onDidProgress = this.progresses.event;
  readonly onDidEnd = this.ends.event;

  constructor(private readonly server: Server) {
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
      return { started, end: this.running?.end ?? this.profiling ?? this.ended(id, request) };
    }
    const end = this.ended(id, request);
    this.running = { id, request, end };
    this.starts.fire({ id, request });
    return { started, end };
  }

  /** Measures where the time goes; undefined where a run or a profile is under way. Throws Refusal as `start` does. */
  async profile(about: About): Promise<ProfileEnd | undefined> {
    const { id, started } = await this.server.request("croqtile/run", { ...about, task: "profile" });
    if (!started) {
      return undefined;
    }
    const end = this.end<ProfileEnd>(id);
    this.profiling = end;
    try {
      return await end;
    } finally {
      this.profiling = undefined;
    }
  }

  /** Whether a run was under way. */
  async cancel(id?: number): Promise<boolean> {
    return (await this.server.request("croqtile/runCancel", id === undefined ? {} : { id })).cancelled;
  }

  dispose(): void {
    this.abandon();
    vscode.Disposable.from(...this.parts).dispose();
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
  private async end<T extends Any>(id: number): Promise<T> {
    const result = await (this.early.get(id) ?? new Promise<Any>((resolve) => this.waiting.set(id, resolve)));
    this.early.delete(id);
    return result as T;
  }

  private take(result: Any): void {
    const resolve = this.waiting.get(result.id);
    this.waiting.delete(result.id);
    if (resolve === undefined) {
      this.early.clear(); // one run at a time
      this.early.set(result.id, result);
    } else {
      resolve(result);
    }
  }

  /** The server is gone, and with it its runs and their numbers. */
  private abandon(): void {
    this.early.clear();
    for (const [id, resolve] of [...this.waiting]) {
      this.waiting.delete(id);
      const request = this.running?.id === id ? this.running.request : undefined;
      resolve({
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
