/** What the commands that run kernels share: one run is made at a time. */
import type { Parts } from "../parts.js";
import { inform } from "../tell.js";

/** Says that nothing was started, with a button that ends what runs. */
export function tellUnderWay({ runs }: Parts): void {
  void inform("A run is under way; it goes on", { title: "Cancel Run", command: "croqtile.cancelRun", args: [runs.current?.id] });
}
