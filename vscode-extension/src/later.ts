/** Work that waits until nobody has asked for it for a while. Must not import `vscode`. */

/** One piece of work a key, never two at a time; asked for meanwhile, it is done once more. */
export class Later<K> {
  private readonly timers = new Map<K, NodeJS.Timeout>();
  private readonly busy = new Set<K>();
  private readonly again = new Set<K>();

  /** `work` must not throw. */
  constructor(private readonly work: (key: K) => Promise<void> | void) {}

  ask(key: K, delayMs: number): void {
    clearTimeout(this.timers.get(key));
    this.timers.set(
      key,
      setTimeout(() => {
        this.timers.delete(key);
        void this.begin(key);
      }, delayMs),
    );
  }

  forget(key: K): void {
    clearTimeout(this.timers.get(key));
    this.timers.delete(key);
    this.again.delete(key);
  }

  dispose(): void {
    [...this.timers.keys()].forEach((key) => this.forget(key));
    this.again.clear();
  }

  private async begin(key: K): Promise<void> {
    if (this.busy.has(key)) {
      this.again.add(key);
      return;
    }
    this.busy.add(key);
    try {
      await this.work(key);
    } finally {
      this.busy.delete(key);
      if (this.again.delete(key)) {
        this.ask(key, 0);
      }
    }
  }
}
