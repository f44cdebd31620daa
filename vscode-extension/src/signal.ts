/** An event as VS Code has them, for what is tested without it. Must not import `vscode`. */

export class Signal<T> {
  private readonly listeners = new Set<(news: T) => void>();

  /** Calls `listener` each time until it is disposed of. */
  readonly event = (listener: (news: T) => void): { dispose(): void } => {
    const own = (news: T): void => listener(news); // the same function may listen twice
    this.listeners.add(own);
    return { dispose: () => void this.listeners.delete(own) };
  };

  fire(news: T): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(news);
      } catch (error) {
        void Promise.reject(error); // the editor logs it; the others hear the news all the same
      }
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}
