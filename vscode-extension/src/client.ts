/** Starts, restarts and stops the language server, one at a time, and tells its state. */
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
  State,
} from "vscode-languageclient/node";

import { SECTION } from "./config.js";
import { currentSettings, surroundings } from "./environment.js";
import { pythonEnvironment, runProcess } from "./process.js";
import { candidates, findPython } from "./python.js";
import { Restarts } from "./restarts.js";
import type { Found, ServerState } from "./state.js";

const LANGUAGE = "croqtile";

function clientOptions(output: vscode.LogOutputChannel, restarts: Restarts): LanguageClientOptions {
  const { arch, dialect, defines } = currentSettings();
  return {
    documentSelector: [
      { scheme: "file", language: LANGUAGE },
      { scheme: "untitled", language: LANGUAGE },
    ],
    synchronize: { configurationSection: SECTION },
    // The snippets of the extension are the server's patterns of the current dialect: they would be offered twice.
    initializationOptions: { arch, dialect, defines, ownPatterns: true },
    outputChannel: output,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: restarts.again() ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true }),
    },
  };
}

/** Troubles of the connection go to the output only: the user gets one message, from commands.ts. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export class Server implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ServerState>();
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

  dispose(): void {
    void this.stop().finally(() => this.changed.dispose());
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
