/** Starts, restarts and stops the language server, one at a time, and tells its state. */
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import * as vscode from "vscode";
import {
  CloseAction,
  ConnectionError,
  ErrorAction,
  LanguageClient,
  ExecuteCommandRequest,
  type LanguageClientOptions,
  ResponseError,
  type ServerOptions,
  State,
  type DynamicFeature,
  type StaticFeature,
} from "vscode-languageclient/node";

import { SECTION } from "./config.js";
import { currentSettings, surroundings } from "./environment.js";
import { pythonEnvironment, runProcess } from "./process.js";
import { candidates, findPython } from "./python.js";
import { reasonOf, Refusal } from "./refusal.js";
import { type Method, type Notice, NOTICES, type Notifications, type Requests } from "./requests.js";
import { MOST_RESTARTS, Restarts, WINDOW_MS } from "./restarts.js";
import type { Found, ServerState, Why } from "./state.js";
import { remedy } from "./tidings.js";
import { Turns } from "./turns.js";

const LANGUAGE = "croqtile";
/** LSP 3.17, `ErrorCodes.RequestFailed`: the server's text is for a person; `RequestCancelled`: we ended it. */
const REQUEST_FAILED = -32803;
const REQUEST_CANCELLED = -32800;
/** JSON-RPC as VS Code speaks it: the connection broke while the answer was awaited. */
const CONNECTION_LOST: readonly number[] = [-32099, -32098, -32097, -32096];

function clientOptions(output: vscode.LogOutputChannel): LanguageClientOptions {
  const { arch, dialect, defines } = currentSettings();
  return {
    documentSelector: [
      { scheme: "file", language: LANGUAGE },
      { scheme: "untitled", language: LANGUAGE },
    ],
    synchronize: { configurationSection: SECTION },
    // Trust may be granted while the server runs: it is then started anew (environment.ts).
    // The snippets of the extension are the server's patterns of the current dialect: they would be offered twice.
    initializationOptions: { arch, dialect, defines, ownPatterns: true, trusted: vscode.workspace.isTrusted },
    outputChannel: output,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      // The server is started anew here, with a new search: its Python may be gone, too.
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
  };
}

/**
 * Troubles of the connection go to the output only: the user gets one message, from tidings.ts. The server's
 * commands are not registered here: those of the same names are the extension's own, and work without a server too.
 */
class QuietClient extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if (!("registrationType" in feature) || feature.registrationType.method !== ExecuteCommandRequest.method) {
      super.registerFeature(feature);
    }
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Whether the interpreter was deleted since; one found on the PATH is asked anew at each start. */
function isGone({ candidate }: Found): boolean {
  return isAbsolute(candidate.command) && !existsSync(candidate.command);
}

export class Server implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ServerState>();
  private readonly noticed = new vscode.EventEmitter<{ readonly name: Notice; readonly params: unknown }>();
  private restarts = new Restarts();
  private client: LanguageClient | undefined;
  private current: ServerState = { kind: "stopped" };
  /** Restarts wait for each other: two quick ones must not leave two servers. */
  private readonly turns = new Turns((error) => this.broke(error));

  readonly onDidChangeState = this.changed.event;

  constructor(readonly output: vscode.LogOutputChannel) {}

  get state(): ServerState {
    return this.current;
  }

  /** Stops the server if it runs, looks for a Python anew, and starts it. Resolves to what came of it. */
  async restart(why: Exclude<Why, "ended">): Promise<ServerState> {
    this.restarts = new Restarts();
    return this.anew(why);
  }

  /** What came of the restarts that are under way. */
  async settled(): Promise<ServerState> {
    await this.turns.ended();
    return this.current;
  }

  /** Starts another where the Python of the one that runs was deleted. Resolves to whether it was. */
  async replaceIfGone(why: "deleted" | "request"): Promise<boolean> {
    if (this.current.kind !== "running" || !isGone(this.current.found)) {
      return false;
    }
    this.output.warn(`${this.current.found.candidate.command} is gone`);
    await this.restart(why);
    return true;
  }

  private async anew(why: Why): Promise<ServerState> {
    await this.turns.add(async () => {
      await this.end();
      await this.begin(why);
    });
    return this.current;
  }

  async stop(): Promise<void> {
    await this.turns.add(() => this.end());
  }

  /** A fault of ours, or of another extension that was asked: the next restart begins afresh. */
  private broke(error: unknown): void {
    this.output.error(`While starting: ${reasonOf(error)}`);
    this.enter({ kind: "crashed", reason: `The language server was not started: ${reasonOf(error)}`, worked: false });
  }

  /** Asks the server. Throws Refusal where none runs or where it says what cannot be done. */
  async request<M extends Method>(
    method: M,
    params: Requests[M]["params"],
    token?: vscode.CancellationToken,
  ): Promise<Requests[M]["result"]> {
    // A token that is undefined would count as one parameter more, and the two be sent as a list.
    const rest = token === undefined ? [] : [token];
    return this.ask((client) => client.sendRequest<Requests[M]["result"]>(method, params, ...rest));
  }

  /** Has the server carry out one of its own commands (docs/protocol.md). Throws Refusal as `request` does. */
  async execute(command: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.ask((client) => client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [...args] }));
  }

  /** Calls `listener` for each notification of this name, from this server and those started after it. */
  onNotice<N extends Notice>(name: N, listener: (params: Notifications[N]) => void): vscode.Disposable {
    return this.noticed.event((notice) => {
      if (notice.name === name) {
        listener(notice.params as Notifications[N]);
      }
    });
  }

  /** Resolves when a server answers. Throws Refusal where none does, with the way out. */
  async ready(): Promise<void> {
    await this.running();
  }

  private async running(): Promise<LanguageClient> {
    await this.turns.ended(); // of a search or a start under way
    if (this.current.kind !== "running") {
      const { text, way } = remedy(this.current);
      throw new Refusal(text, way);
    }
    if (this.client === undefined) {
      throw new Refusal("The language server is being started anew; try again");
    }
    return this.client;
  }

  private async ask<T>(work: (client: LanguageClient) => Promise<T>): Promise<T> {
    const client = await this.running();
    try {
      return await work(client);
    } catch (error) {
      throw (await this.wordsOf(error)) ?? error;
    }
  }

  /** What the user, or nobody, is told of a request that failed; undefined for a fault. */
  private async wordsOf(error: unknown): Promise<Error | undefined> {
    const code = error instanceof ResponseError ? error.code : undefined;
    if (code === REQUEST_FAILED) {
      return new Refusal(reasonOf(error));
    }
    if (code === REQUEST_CANCELLED) {
      return new vscode.CancellationError();
    }
    if (await this.replaceIfGone("request")) {
      await this.running();
      return new Refusal("The Python environment of the language server was deleted; another one is used now: try again");
    }
    const lost = error instanceof ConnectionError || (code !== undefined && CONNECTION_LOST.includes(code));
    return lost ? new Refusal("The language server ended meanwhile; try again") : undefined;
  }

  dispose(): void {
    void this.stop().finally(() => vscode.Disposable.from(this.changed, this.noticed).dispose());
  }

  private enter(state: ServerState): void {
    this.current = state;
    this.changed.fire(state);
  }

  private async begin(why: Why): Promise<void> {
    this.enter({ kind: "searching", why });
    const at = await surroundings();
    const tries = candidates(at, existsSync);
    this.output.info(`Looking for Python: ${tries.map((one) => `${one.command} (${one.origin})`).join(", ") || "nothing to try"}`);
    const outcome = await findPython(tries, runProcess);
    if (outcome.kind === "found") {
      await this.launch(outcome);
    } else {
      this.enter({ kind: "not-found", outcome, trusted: at.trusted });
    }
  }

  private async launch(found: Found): Promise<void> {
    this.enter({ kind: "starting", found });
    const command = found.candidate.command;
    const args = ["-m", "croqls"];
    this.output.info(`Starting: ${[command, ...args].join(" ")}`);
    const options: ServerOptions = { command, args, options: { env: pythonEnvironment() } };
    const client = new QuietClient(LANGUAGE, "Croqtile", options, clientOptions(this.output));
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (this.client === client) {
        this.follow(found, newState);
      }
    });
    for (const name of NOTICES) {
      client.onNotification(name, (params: unknown) => this.noticed.fire({ name, params }));
    }
    try {
      await client.start();
    } catch (error) {
      this.output.error(`The server did not start: ${reasonOf(error)}`);
      const reason = `'${command} -m croqls' ended before it answered; its output says why`;
      this.enter({ kind: "crashed", reason, worked: false });
    }
  }

  /** One that ends while it starts is spoken of in `launch`. */
  private follow(found: Found, state: State): void {
    if (state === State.Running) {
      this.restarts.hasWorked();
      this.enter({ kind: "running", found });
    } else if (state === State.Stopped && this.current.kind === "running") {
      this.ended();
    }
  }

  private ended(): void {
    this.output.warn("The server ended by itself");
    if (this.restarts.again()) {
      void this.anew("ended");
    } else {
      const reason = `The language server ended ${MOST_RESTARTS + 1} times within ${WINDOW_MS / 60_000} minutes; its output says why`;
      this.enter({ kind: "crashed", reason, worked: true });
    }
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined; // from here on its state changes are our own doing
    if (client === undefined) {
      return;
    }
    try {
      await client.dispose();
    } catch (error) {
      this.output.warn(`While stopping: ${reasonOf(error)}`);
    }
    this.enter({ kind: "stopped" });
  }
}
