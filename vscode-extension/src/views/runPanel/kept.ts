/** What the run panel's page keeps over a reload of the window. Must not import `vscode`. */
import { fieldsOf } from "../../lsp.js";
import type { Ended } from "../../runs.js";
import type { Past, RunEntry, RunResult } from "../../runTypes.js";
import { printed } from "./section.js";

export interface Kept {
  readonly ended: Ended;
  readonly history: readonly Past[];
}

/** Of what was printed the part that is shown: it is posted and stored at each drawing. */
export function keptOf({ request, result }: Ended, history: readonly Past[]): Kept {
  return { ended: { request, result: { ...result, result: shortened(result.result) } }, history };
}

/** Whether a state may be one of ours; an older version of the extension kept other shapes, which only drawing finds out. */
export function isKept(state: unknown): state is Kept {
  const { ended, history } = fieldsOf(state);
  const { request, result } = fieldsOf(ended);
  return typeof fieldsOf(fieldsOf(request)["textDocument"])["uri"] === "string" && typeof result === "object" && result !== null && Array.isArray(history);
}

function shortened(result: RunResult["result"]): RunResult["result"] {
  const short = (run: RunEntry): RunEntry => ({ ...run, prints: run.prints.length === 0 ? [] : [printed(run)] });
  if (result === null) {
    return null;
  }
  return "runs" in result
    ? { ...result, runs: result.runs.map(short) }
    : { ...result, verified: result.verified.map((one) => ({ ...one, sim: short(one.sim), gpu: one.gpu === null ? null : short(one.gpu) })) };
}
