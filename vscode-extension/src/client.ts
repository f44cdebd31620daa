/**
 * The language server as a process and a client of the protocol: what it is asked, what it says. Must not decide when it is
 * started (serverLife.ts).
 */
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
import { FILES } from "./files.js";
import { runProcess, serverProcess } from "./process.js";
import { candidates, findPython, type Outcome } from "./python.js";
import { reasonOf, Refusal } from "./refusal.js";
import { type Method, type Notice, NOTICES, type Notifications, type Requests } from "./requests.js";
import { type Process, ServerLife } from "./serverLife.js";
import type { Found, ServerState, Why } from "./state.js";

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

/** Whether the interpreter was deleted since. */
function isGone({ candidate }: Found): boolean {
  return isAbsolute(candidate.command) && !existsSync(candidate.command);
}

/** A client and the process that it starts. */
class Started implements Process {
  constructor(readonly client: LanguageClient) {}

  start(): Promise<void> {
    return this.client.start();
  }

  stop(): Promise<void> {
    return this.client.dispose();
  }
}

export class Server implements vscode.Disposable {
  private readonly noticed = new vscode.EventEmitter<{ readonly name: Notice; readonly params: unknown }>();
  private readonly life: ServerLife<Started>;

  readonly onDidChangeState: ServerLife<Started>["onDidChangeState"];

  constructor(readonly output: vscode.LogOutputChannel) {
    this.life = new ServerLife({
      search: () => this.search(),
      make: (found, tell) => this.make(found, tell),
      isGone,
      log: output,
    });
    this.onDidChangeState = this.life.onDidChangeState;
  }

  get state(): ServerState {
    return this.life.state;
  }

  /** Stops the server if it runs, looks for a Python anew, and starts it. Resolves to what came of it. */
  async restart(why: Exclude<Why, "ended">): Promise<ServerState> {
    return this.life.restart(why);
  }

  /** What came of the restarts that are under way. */
  async settled(): Promise<ServerState> {
    return this.life.settled();
  }

  /** Starts another where the Python of the one that runs was deleted. Resolves to whether it was. */
  async replaceIfGone(why: "deleted" | "request"): Promise<boolean> {
    return this.life.replaceIfGone(why);
  }

  async stop(): Promise<void> {
    await this.life.stop();
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
    await this.life.running();
  }

  dispose(): void {
    void this.stop().finally(() => vscode.Disposable.from(this.life, this.noticed).dispose());
  }

  private async ask<T>(work: (client: LanguageClient) => Promise<T>): Promise<T> {
    const { client } = await this.life.running();
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
      await this.life.running();
      return new Refusal("The Python environment of the language server was deleted; another one is used now: try again");
    }
    const lost = error instanceof ConnectionError || (code !== undefined && CONNECTION_LOST.includes(code));
    return lost ? new Refusal("The language server ended meanwhile; try again") : undefined;
  }

  private async search(): Promise<{ readonly outcome: Outcome; readonly trusted: boolean }> {
    const at = await surroundings();
    const tries = candidates(at, FILES);
    this.output.info(`Looking for Python: ${tries.map((one) => `${one.command} (${one.origin})`).join(", ") || "nothing to try"}`);
    return { outcome: await findPython(tries, runProcess), trusted: at.trusted };
  }

  private make({ candidate }: Found, tell: (now: "answers" | "ended") => void): Started {
    const process = serverProcess(candidate.command);
    this.output.info(`Starting: ${[process.command, ...process.args].join(" ")}`);
    const client = new QuietClient(LANGUAGE, "Croqtile", process satisfies ServerOptions, clientOptions(this.output));
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        tell("answers");
      } else if (newState === State.Stopped) {
        tell("ended");
      }
    });
    for (const name of NOTICES) {
      client.onNotification(name, (params: unknown) => this.noticed.fire({ name, params }));
    }
    return new Started(client);
  }
}
