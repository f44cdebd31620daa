/** What the panel of shared memory knows: the last layout that there was, and why there is no newer one. Must not import `vscode`. */
import { reasonOf, Refusal } from "../refusal.js";
import type { SharedMemory } from "../requests.js";
import { declaredOn, latest } from "./sharedMemoryPage.js";

/** What the state has the panel do. */
export interface Doing {
  /** Throws Refusal where no server answers or there is no such document. */
  ask(): Promise<SharedMemory>;
  /** Draws the layout, if there is one, and what stands in the way of a newer one. */
  draw(layout: SharedMemory | undefined, said: string | undefined): void;
  /** Of a fault, for the output. */
  warn(text: string): void;
}

export class SharedMemoryState {
  private layout: SharedMemory | undefined;
  private closed = false;

  constructor(private readonly does: Doing) {
    does.draw(undefined, "Waiting for the language server…");
  }

  /** Asks anew and shows what came; the old layout stays where there is no new one. */
  async renew(): Promise<void> {
    let refused: string | undefined;
    try {
      this.layout = latest(await this.does.ask(), this.layout);
    } catch (error) {
      refused = reasonOf(error);
      if (!(error instanceof Refusal)) {
        this.does.warn(`croqtile/sharedMemory: ${refused}`);
      }
    }
    if (!this.closed) {
      this.does.draw(this.layout, refused);
    }
  }

  /** The tensors that are declared on a line. */
  litBy(line: number | undefined): ReturnType<typeof declaredOn> {
    return this.layout === undefined || line === undefined ? [] : declaredOn(this.layout, line);
  }

  close(): void {
    this.closed = true;
  }
}
