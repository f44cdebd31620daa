/** Runs what was chosen in the Test Explorer, one group after the other, and says what came of each. Must not import `vscode`. */
import { reasonOf } from "../../refusal.js";
import type { Ended, Runs } from "../../runs.js";
import type { RunRequest } from "../../runTypes.js";
import { type Outcome, outcomesOf } from "./outcome.js";
import type { Group } from "./plan.js";

export type Manner = Pick<RunRequest, "task" | "engine"> & { readonly panel?: boolean };

/** As the editor's. */
export interface Token {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): { dispose(): unknown };
}

/** What is told of tests while they run, and what a run needs. */
export interface Telling<Item> {
  started(item: Item): void;
  skipped(item: Item): void;
  errored(item: Item, text: string): void;
  ended(item: Item, outcome: Outcome): void;
  /** Before a document is run: the server runs what the editor has. Throws where it is not to be run. */
  prepare(uri: string): Promise<void>;
  showPanel(): Promise<void>;
}

export class Running<Item> {
  constructor(
    private readonly runs: Pick<Runs, "start" | "cancel" | "current">,
    private readonly tell: Telling<Item>,
    private readonly manner: Manner,
    private readonly token: Token,
  ) {}

  async all(groups: readonly Group<Item>[]): Promise<void> {
    for (const group of groups) {
      if (this.token.isCancellationRequested) {
        group.items.forEach((item) => this.tell.skipped(item));
      } else {
        await this.one(group);
      }
    }
  }

  private async one(group: Group<Item>): Promise<void> {
    const { tell } = this;
    group.items.forEach((item) => tell.started(item));
    try {
      await tell.prepare(group.uri);
      const ended = await this.ended(group);
      if (ended === undefined || ended.result.state === "cancelled") {
        group.items.forEach((item) => tell.skipped(item));
        return;
      }
      const outcomes = outcomesOf(ended.result, group.items.length);
      group.items.forEach((item, at) => outcomes[at] !== undefined && tell.ended(item, outcomes[at]));
    } catch (error) {
      group.items.forEach((item) => tell.errored(item, reasonOf(error)));
    }
  }

  /** Waits for another run that is under way first; undefined where it was called off meanwhile. */
  private async ended(group: Group<Item>): Promise<Ended | undefined> {
    const { runs, token } = this;
    const request = requestOf(group, this.manner);
    while (!token.isCancellationRequested) {
      const start = await runs.start(request);
      if (!start.started) {
        await orCancelled(start.end, token);
        continue;
      }
      const own = runs.current?.id;
      const cancelling = token.onCancellationRequested(() => void runs.cancel(own));
      try {
        if (this.manner.panel === true) {
          await this.tell.showPanel();
        }
        return await start.end;
      } finally {
        cancelling.dispose();
      }
    }
    return undefined;
  }
}

function requestOf({ uri, entry, overload, runLine }: Group<unknown>, { task, engine }: Manner): RunRequest {
  return {
    textDocument: { uri },
    entry,
    overload,
    task,
    ...(engine === undefined ? {} : { engine }),
    ...(runLine === undefined ? {} : { runLine }),
  };
}

/** Resolves at the end of somebody's run, or when it is no longer waited for. */
async function orCancelled(end: Promise<void>, token: Token): Promise<void> {
  let listening: { dispose(): unknown } | undefined;
  const cancelled = new Promise<void>((resolve) => (listening = token.onCancellationRequested(resolve)));
  await Promise.race([end, cancelled]);
  listening?.dispose();
}
