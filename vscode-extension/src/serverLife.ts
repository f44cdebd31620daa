/**
 * The life of the language server: looked for, started, started again when it ends by itself, stopped; one at a time. Must
 * not import `vscode`, nor know how a process is made or spoken to (client.ts).
 */
import { reasonOf, Refusal } from "./refusal.js";
import type { Outcome } from "./python.js";
import { MOST_RESTARTS, Restarts, WINDOW_MS } from "./restarts.js";
import { Signal } from "./signal.js";
import type { Found, ServerState, Why } from "./state.js";
import { remedy } from "./tidings.js";
import { Turns } from "./turns.js";

/** A server process, from before its start until it was stopped. */
export interface Process {
  /** Resolves when it answers; throws where it does not. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What is done for the life, and told of it. */
export interface Doing<P extends Process> {
  /** `trusted`: Pythons inside the workspace were looked at, too. */
  search(): Promise<{ readonly outcome: Outcome; readonly trusted: boolean }>;
  /** `tell` hears when the process answers, and when it has ended. */
  make(found: Found, tell: (now: "answers" | "ended") => void): P;
  /** Whether the interpreter was deleted since. */
  isGone(found: Found): boolean;
  readonly log: { info(text: string): void; warn(text: string): void; error(text: string): void };
}

export class ServerLife<P extends Process> {
  private readonly changed = new Signal<ServerState>();
  private restarts: Restarts;
  private process: P | undefined;
  private current: ServerState = { kind: "stopped" };
  /** Restarts wait for each other: two quick ones must not leave two servers. */
  private readonly turns = new Turns((error) => this.broke(error));

  readonly onDidChangeState = this.changed.event;

  constructor(
    private readonly does: Doing<P>,
    private readonly now: () => number = Date.now,
  ) {
    this.restarts = new Restarts(now);
  }

  get state(): ServerState {
    return this.current;
  }

  /** Stops the server if it runs, looks for a Python anew, and starts it. Resolves to what came of it. */
  async restart(why: Exclude<Why, "ended">): Promise<ServerState> {
    this.restarts = new Restarts(this.now);
    return this.anew(why);
  }

  /** What came of the restarts that are under way. */
  async settled(): Promise<ServerState> {
    await this.turns.ended();
    return this.current;
  }

  /** Starts another where the Python of the one that runs was deleted. Resolves to whether it was. */
  async replaceIfGone(why: "deleted" | "request"): Promise<boolean> {
    if (this.current.kind !== "running" || !this.does.isGone(this.current.found)) {
      return false;
    }
    this.does.log.warn(`${this.current.found.candidate.command} is gone`);
    await this.restart(why);
    return true;
  }

  async stop(): Promise<void> {
    await this.turns.add(() => this.end());
  }

  /** The process that answers, after a search or a start under way. Throws Refusal where none does, with the way out. */
  async running(): Promise<P> {
    await this.turns.ended();
    if (this.current.kind !== "running") {
      const { text, way } = remedy(this.current);
      throw new Refusal(text, way);
    }
    if (this.process === undefined) {
      throw new Refusal("The language server is being started anew; try again");
    }
    return this.process;
  }

  dispose(): void {
    this.changed.dispose();
  }

  private async anew(why: Why): Promise<ServerState> {
    await this.turns.add(async () => {
      await this.end();
      await this.begin(why);
    });
    return this.current;
  }

  /** A fault of ours, or of another extension that was asked: the next restart begins afresh. */
  private broke(error: unknown): void {
    this.does.log.error(`While starting: ${reasonOf(error)}`);
    this.enter({ kind: "crashed", reason: `The language server was not started: ${reasonOf(error)}`, worked: false });
  }

  private enter(state: ServerState): void {
    this.current = state;
    this.changed.fire(state);
  }

  private async begin(why: Why): Promise<void> {
    this.enter({ kind: "searching", why });
    const { outcome, trusted } = await this.does.search();
    if (outcome.kind === "found") {
      await this.launch(outcome);
    } else {
      this.enter({ kind: "not-found", outcome, trusted });
    }
  }

  private async launch(found: Found): Promise<void> {
    this.enter({ kind: "starting", found });
    const process: P = this.does.make(found, (now) => this.process === process && this.follow(found, now));
    this.process = process;
    try {
      await process.start();
    } catch (error) {
      this.does.log.error(`The server did not start: ${reasonOf(error)}`);
      const reason = `'${found.candidate.command} -m croqls' ended before it answered; its output says why`;
      this.enter({ kind: "crashed", reason, worked: false });
    }
  }

  /** One that ends while it starts is spoken of in `launch`. */
  private follow(found: Found, now: "answers" | "ended"): void {
    if (now === "answers") {
      this.restarts.hasWorked();
      this.enter({ kind: "running", found });
    } else if (this.current.kind === "running") {
      this.ended();
    }
  }

  private ended(): void {
    this.does.log.warn("The server ended by itself");
    if (this.restarts.again()) {
      void this.anew("ended");
    } else {
      const reason = `The language server ended ${MOST_RESTARTS + 1} times within ${WINDOW_MS / 60_000} minutes; its output says why`;
      this.enter({ kind: "crashed", reason, worked: true });
    }
  }

  private async end(): Promise<void> {
    const process = this.process;
    this.process = undefined; // from here on its state changes are our own doing
    if (process === undefined) {
      return;
    }
    try {
      await process.stop();
    } catch (error) {
      this.does.log.warn(`While stopping: ${reasonOf(error)}`);
    }
    this.enter({ kind: "stopped" });
  }
}
