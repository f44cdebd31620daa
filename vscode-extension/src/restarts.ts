/** Decides whether a server that ended by itself is started again. Must not import `vscode`. */

export const MOST_RESTARTS = 4;
export const WINDOW_MS = 3 * 60_000;

/**
 * A server that has worked is restarted, at most four times in three minutes; one that never came up is not:
 * it would fail the same way.
 */
export class Restarts {
  private worked = false;
  private times: number[] = [];

  constructor(private readonly now: () => number = () => performance.now()) {}

  hasWorked(): void {
    this.worked = true;
  }

  /** Whether to start again now; counts as a restart if so. */
  again(): boolean {
    const now = this.now();
    this.times = this.times.filter((time) => now - time < WINDOW_MS);
    if (!this.worked || this.times.length >= MOST_RESTARTS) {
      return false;
    }
    this.worked = false;
    this.times.push(now);
    return true;
  }
}
