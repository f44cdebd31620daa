/**
 * When to ask the server, and for what: the flow of an edited text before the state at the cursor, each once nobody
 * types or moves any more; what is asked for in vain is ended. Must not import `vscode`.
 */

/** Both throw nothing; a signal that is aborted says that nobody wants the answer any more. */
export interface Work {
  readonly refresh: (signal: AbortSignal) => Promise<void>;
  readonly look: (signal: AbortSignal) => Promise<void>;
}

const EDIT_MS = 250;
const MOVE_MS = 60;

export class Following {
  private timer: NodeJS.Timeout | undefined;
  private job: AbortController | undefined;
  /** A new flow is due, or under way: the cursor's turn comes behind it. */
  private stale = false;

  constructor(private readonly work: Work) {}

  /** The text has changed. */
  edited(): void {
    this.stale = true;
    this.begin(EDIT_MS);
  }

  /** The cursor has moved. */
  moved(): void {
    if (!this.stale) {
      this.begin(MOVE_MS);
    }
  }

  /** All is to be asked for anew, at once. */
  anew(): void {
    this.stale = true;
    this.begin(0);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.job?.abort();
    this.stale = false;
  }

  private begin(delayMs: number): void {
    clearTimeout(this.timer);
    this.job?.abort();
    const job = new AbortController();
    this.job = job;
    this.timer = setTimeout(() => void this.run(job.signal), delayMs);
  }

  private async run(signal: AbortSignal): Promise<void> {
    if (this.stale) {
      await this.work.refresh(signal);
      if (signal.aborted) {
        return;
      }
      this.stale = false;
    }
    await this.work.look(signal);
  }
}
