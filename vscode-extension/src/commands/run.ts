/** Commands that run kernels: in the simulator, on the card, both; the end of a run. */
import { type About, aboutThe, argumentsOf, fieldsOf } from "../lsp.js";
import type { Command, Parts } from "../parts.js";
import { Refusal, type Way } from "../refusal.js";
import type { Offer, RunRequest, RunResult } from "../runTypes.js";
import { refusedText } from "../runWords.js";
import { warn } from "../tell.js";
import { demandTrust } from "../trust.js";
import { showRunPanel } from "../views/runPanel/panel.js";
import { functionAt } from "./functionAt.js";
import { tellUnderWay } from "./underway.js";

type Manner = Pick<RunRequest, "task" | "engine" | "force">;

export const run: Command = { id: "croqtile.run", run: (parts, ...args) => begin(parts, args, { task: "run" }) };
export const runGpu: Command = { id: "croqtile.runGpu", run: (parts, ...args) => begin(parts, args, { task: "run", engine: "gpu" }) };
export const runSimulator: Command = {
  id: "croqtile.runSimulator",
  run: (parts, ...args) => begin(parts, args, { task: "run", engine: "sim" }),
};
export const verify: Command = { id: "croqtile.verify", run: (parts, ...args) => begin(parts, args, { task: "verify" }) };
/** In spite of the verdict on the credit flow, which keeps kernels from the card alone; the third argument has the task. */
export const runAnyway: Command = {
  id: "croqtile.runAnyway",
  run: (parts, ...args) => begin(parts, args, fieldsOf(args[2])["task"] === "verify" ? { task: "verify", force: true } : { task: "run", engine: "gpu", force: true }),
};
export const cancelRun: Command = { id: "croqtile.cancelRun", run: cancel };
export const showRun: Command = { id: "croqtile.showRun", run: (parts, ...args) => showLast(parts, args) };

async function begin(parts: Parts, args: readonly unknown[], manner: Manner): Promise<void> {
  demandTrust();
  const about = await functionAt(args);
  if (about === undefined) {
    return;
  }
  const { started, end } = await parts.runs.start({ ...about, ...manner });
  if (started || parts.runs.current !== undefined) {
    await showRunPanel(parts);
  }
  if (!started) {
    tellUnderWay(parts);
    return;
  }
  await tellEnd(about, (await end).result);
}

/** What came of a run stands in the panel; that there was none is said as well. */
async function tellEnd(about: About, result: RunResult): Promise<void> {
  if (result.state === "failed") {
    throw new Error(result.message); // shown as the faults of all commands are
  }
  const said = refusedText(result);
  if (said !== undefined) {
    const args = argumentsOf(about);
    const [uri, entry, options] = args;
    const ways: Readonly<Record<Offer, Way>> = {
      sim: { title: "Run in the Simulator", command: runSimulator.id, args },
      doctor: { title: "Doctor", command: "croqtile.doctor" },
      force: { title: "Run Anyway", command: runAnyway.id, args: [uri, entry, { ...options, task: result.task }] },
    };
    await warn(said, result.offer === null ? undefined : ways[result.offer]);
  }
}

/** The run under way, or the one of that number. */
async function cancel({ runs }: Parts, ...[id]: readonly unknown[]): Promise<void> {
  if (!(await runs.cancel(typeof id === "number" ? id : undefined))) {
    throw new Refusal("No run is under way");
  }
}

/** The result of the last run of a function, as the server has it. */
async function showLast(parts: Parts, args: readonly unknown[]): Promise<void> {
  const [uri, entry, options] = args;
  if (typeof uri !== "string") {
    await showRunPanel(parts);
    return;
  }
  const known = (await parts.server.execute(showRun.id, uri, entry, ...(options === undefined ? [] : [options]))) as RunResult | { readonly message: string };
  if (!("state" in known)) {
    throw new Refusal(known.message);
  }
  await showRunPanel(parts, { request: { ...aboutThe(uri, entry, options), task: known.task }, result: known });
}
