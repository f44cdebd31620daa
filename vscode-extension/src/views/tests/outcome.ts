/** What came of a kernel's test, as the Test Explorer tells it. Must not import `vscode`. */
import type { Range } from "../../lsp.js";
import { runLines } from "../../runReport.js";
import { isGood, type RunEntry, type RunResult, type Verified } from "../../runTypes.js";
import { allowed, capital, difference, figure, judgement, stuck, VERDICTS } from "../../runWords.js";

/** `range` is where it happened; without one it concerns the whole test. */
export interface Message {
  readonly text: string;
  readonly range?: Range;
  readonly diff?: { readonly expected: string; readonly actual: string };
}

export interface Outcome {
  readonly kind: "passed" | "failed" | "errored";
  readonly seconds: number;
  readonly messages: readonly Message[];
  /** The full report, for the output. */
  readonly report: string;
}

/** One outcome for each of `count` tests that one run was for, in order; what the run itself says of all of them. */
export function outcomesOf(result: RunResult, count: number): readonly Outcome[] {
  const all = result.result === null ? [] : "runs" in result.result ? result.result.runs.map(ofRun) : result.result.verified.map(ofVerified);
  if (all.length === count) {
    return all;
  }
  const text = result.state === "done" ? "The kernel's run lines have changed meanwhile; run the tests again" : capital(result.message);
  const broken: Outcome = { kind: "errored", seconds: 0, messages: [{ text }], report: text };
  return Array.from({ length: count }, () => broken);
}

function ofRun(run: RunEntry): Outcome {
  return { kind: kindOf(run), seconds: run.time, messages: messagesOf(run), report: plain(run).join("\n") };
}

function ofVerified(one: Verified): Outcome {
  const runs = one.gpu === null ? [one.sim] : [one.sim, one.gpu];
  const flow = one.static.verdict === "fails" ? [{ text: capital(one.static.text) }] : [];
  const torn = one.agree ? [] : [{ text: "Credit flow, simulator and card contradict each other; please report this kernel" }];
  const said = one.gpu === null ? [`Not on a card: ${one.said}`] : [];
  const report = [...runs.flatMap((run) => [...plain(run), ""]), `Credit flow: ${one.static.text}`, ...said];
  return {
    kind: one.ok && one.agree ? "passed" : "failed",
    seconds: runs.reduce((sum, run) => sum + run.time, 0),
    messages: [...runs.flatMap(messagesOf), ...flow, ...torn],
    report: report.join("\n"),
  };
}

/** The report without the emphasis of its verdict: the output shows text. */
function plain(run: RunEntry): string[] {
  return runLines(run).map((line, at) => (at === 0 ? line.replaceAll("**", "") : line));
}

function kindOf(run: RunEntry): Outcome["kind"] {
  return isGood(run.verdict) ? "passed" : run.verdict === "not-run" ? "errored" : "failed";
}

function messagesOf(run: RunEntry): Message[] {
  switch (run.verdict) {
    case "verified":
    case "consistent":
      return [];
    case "wrong":
      return run.expectations.filter((one) => !one.ok).map(unequal);
    case "hangs": {
      const paths = run.hang.map(({ text, range }) => ({ text: capital(text), range }));
      const [first, ...others] = paths;
      return first === undefined ? [{ text: stuck(run) }] : [{ ...first, text: stuck(run) }, ...others];
    }
    case "crashed":
    case "not-run":
      return [{ text: `${VERDICTS[run.verdict]}: ${run.message}`, ...(run.range === null ? {} : { range: run.range }) }];
  }
}

function unequal(one: RunEntry["expectations"][number]): Message {
  const text = `${one.text} does not hold: ${judgement(one)}`;
  if (one.worst === null) {
    return { text };
  }
  const { index, got, want } = one.worst;
  const at = `[${index.join(", ")}]`;
  const off = difference(got, want);
  const limits = off === "" ? "" : `, off by ${off}, allowed ${allowed(one, want)}`;
  return { text: `${text}\nworst at ${at}${limits}`, diff: { expected: `${at}: ${figure(want, 9)}`, actual: `${at}: ${figure(got, 9)}` } };
}
