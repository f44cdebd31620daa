/** Pieces of work of which each waits for the one before. Must not import `vscode`. */

export class Turns {
  private last: Promise<void> = Promise.resolve();

  /** `failed` hears of a piece that throws; those behind it have their turn all the same. It must not throw. */
  constructor(private readonly failed: (error: unknown) => void) {}

  /** Resolves when this piece, and all before it, have ended. */
  add(work: () => Promise<void>): Promise<void> {
    this.last = this.last.then(work).catch(this.failed);
    return this.last;
  }

  /** Resolves when nothing is under way of what was there when it was asked. */
  ended(): Promise<void> {
    return this.last;
  }
}
