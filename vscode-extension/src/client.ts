/** Starts, restarts and stops the language server, one at a time, and tells its state. */
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import {
  CloseAction,
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
import { Refusal } from "./parts.js";
import { candidates, findPython } from "./python.js";
import { type Method, type Notice, type Notifications, NOTICES, type Requests } from "./requests.js";
import { Restarts } from "./restarts.js";
import { type Found, type ServerState, show } from "./state.js";

const LANGUAGE = "croqtile";
/** LSP 3.17, `ErrorCodes.RequestFailed`: the server's text is for a person. */
const REQUEST_FAILED = -32803;

function clientOptions(output: vscode.LogOutputChannel, restarts: Restarts): LanguageClientOptions {
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
      closed: () => ({ action: restarts.again() ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true }),
    },
  };
}

/**
 * Troubles of the connection go to the output only: the user gets one message, from commands/server.ts. The server's
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

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export class Server implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ServerState>();
  private readonly noticed = new vscode.EventEmitter<{ readonly name: Notice; readonly params: unknown }>();
  private client: LanguageClient | undefined;
  private current: ServerState = { kind: "stopped" };
  /** Restarts wait for each other: two quick ones must not leave two servers. */
  private queue: Promise<void> = Promise.resolve();

  readonly onDidChangeState = this.changed.event;

  constructor(readonly output: vscode.LogOutputChannel) {}

  get state(): ServerState {
    return this.current;
  }

  /** Stops the server if it runs, looks for a Python anew, and starts it. Resolves to what came of it. */
  async restart(): Promise<ServerState> {
    this.queue = this.queue.then(async () => {
      await this.end();
      await this.begin();
    });
    await this.queue;
    return this.current;
  }

  async stop(): Promise<void> {
    this.queue = this.queue.then(() => this.end());
    await this.queue;
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

  private async ask<T>(work: (client: LanguageClient) => Promise<T>): Promise<T> {
    const client = this.client;
    if (client === undefined || this.current.kind !== "running") {
      throw new Refusal(`${show(this.current).detail}; 'Croqtile: Restart Language Server' starts it`);
    }
    try {
      return await work(client);
    } catch (error) {
      throw error instanceof ResponseError && error.code === REQUEST_FAILED ? new Refusal(error.message) : error;
    }
  }

  dispose(): void {
    void this.stop().finally(() => vscode.Disposable.from(this.changed, this.noticed).dispose());
  }

  private enter(state: ServerState): void {
    this.current = state;
    this.changed.fire(state);
  }

  private async begin(): Promise<void> {
    this.enter({ kind: "searching" });
    const tries = candidates(await surroundings(), existsSync);
    this.output.info(`Looking for Python: ${tries.map((one) => `${one.command} (${one.origin})`).join(", ") || "nothing to try"}`);
    const outcome = await findPython(tries, runProcess);
    if (outcome.kind === "found") {
      await this.launch(outcome);
    } else {
      this.enter({ kind: "not-found", outcome });
    }
  }

  private async launch(found: Found): Promise<void> {
    this.enter({ kind: "starting", found });
    const command = found.candidate.command;
    const args = ["-m", "croqls"];
    this.output.info(`Starting: ${[command, ...args].join(" ")}`);
    const options: ServerOptions = { command, args, options: { env: pythonEnvironment() } };
    const restarts = new Restarts();
    const client = new QuietClient(LANGUAGE, "Croqtile", options, clientOptions(this.output, restarts));
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        restarts.hasWorked();
      }
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
      this.enter({ kind: "crashed", found, reason: `'${command} -m croqls' ended before it answered; its output says why` });
    }
  }

  private follow(found: Found, state: State): void {
    switch (state) {
      case State.Running:
        this.enter({ kind: "running", found });
        break;
      case State.Starting:
        this.enter({ kind: "starting", found });
        break;
      case State.Stopped:
        this.enter({ kind: "crashed", found, reason: "The language server ended by itself; its output says why" });
        break;
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
