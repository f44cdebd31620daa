/** What the run panel shows, as data without HTML. Must not import `vscode`. */
import { entriesOf, isGood, type Past, type Progress, type RunEntry, type RunRequest, type RunResult, verifiedOf } from "../../runTypes.js";
import { capital, count, engineText, label, rate, share, sizesText, stuck, timeText, VERDICTS, worstOf } from "../../runWords.js";
import { isAlike, lastGood, ratio, ratioText } from "./compare.js";
import { type Plot, plotOf } from "./plot.js";
import { type Section, sectionOf } from "./section.js";
import { type Cell, filled, type Line, type Table, type Tone, toneOf } from "./table.js";

export interface View {
  readonly title: string;
  readonly file: string;
  readonly busy: { readonly text: string; readonly share: number | undefined } | undefined;
  readonly headline: { readonly word: string; readonly tone: Tone; readonly said: string } | undefined;
  /** What the panel has a button for beside the verdict. */
  readonly offer: "sim" | "force" | undefined;
  readonly compared: readonly Line[];
  readonly verification: Table | undefined;
  readonly overview: Table | undefined;
  readonly plots: readonly Plot[];
  readonly sections: readonly Section[];
  readonly history: Table | undefined;
}

/** All that the panel knows. `when` writes a time as the user reads it. */
export interface Known {
  readonly request: RunRequest;
  readonly file: string;
  readonly progress: Progress | undefined;
  readonly running: boolean;
  readonly result: RunResult | undefined;
  readonly history: readonly Past[];
  readonly when: (at: string) => string;
}

const MOST_PAST = 20;
/** The number of every run of an earlier session: which of the history came before one of them is not known. */
const EARLIER = 0;

export function viewOf(known: Known): View {
  const { request, result } = known;
  const runs = result === undefined ? [] : entriesOf(result);
  const functions = [...new Set(runs.map((run) => run.function))];
  const id = result?.id ?? EARLIER;
  return {
    title: request.entry ?? (functions.length === 1 ? (functions[0] ?? known.file) : known.file),
    file: known.file,
    busy: known.running ? busyOf(known.progress) : undefined,
    headline: result === undefined || known.running ? undefined : headlineOf(result, runs),
    offer: known.running || result?.offer === "doctor" ? undefined : (result?.offer ?? undefined),
    compared: runs.length === 1 && id !== EARLIER ? runs.flatMap((run) => comparedOf(run, id, known)) : [],
    verification: result === undefined ? undefined : verificationOf(result),
    overview: runs.length > 1 ? overviewOf(runs, id, known.history) : undefined,
    plots: functions.flatMap((name) => {
      const own = runs.filter((run) => run.function === name && run.engine === "gpu");
      return plotOf(name, own, id, known.history) ?? [];
    }),
    sections: runs.map((run) => sectionOf(run, functions.length > 1, result === undefined ? [] : absence(result, run))),
    history: historyOf(runs, functions, known),
  };
}

export function busyOf(progress: Progress | undefined): { text: string; share: number | undefined } {
  if (progress === undefined) {
    return { text: "Starting", share: undefined };
  }
  const { message, done, total } = progress;
  const text = total > 0 ? `${count(done)} of ${count(total)} ${message}` : capital(message);
  return { text, share: total > 0 ? done / total : undefined };
}

function headlineOf(result: RunResult, runs: readonly RunEntry[]): View["headline"] {
  switch (result.state) {
    case "refused":
      return { word: "Not run", tone: "none", said: capital(result.message) };
    case "failed":
      return { word: "Failed", tone: "bad", said: capital(result.message) };
    case "cancelled":
      return { word: "Cancelled", tone: "none", said: "Nothing came of this run." };
    case "done":
      return verdictOf(result, runs);
  }
}

function verdictOf(result: RunResult, runs: readonly RunEntry[]): View["headline"] {
  const worst = worstOf(runs);
  if (worst === undefined) {
    return { word: "Nothing was run", tone: "none", said: "" };
  }
  const fails = verifiedOf(result).find((one) => one.static.verdict === "fails");
  if (isGood(worst.verdict) && fails !== undefined) {
    return { word: "Credit flow fails", tone: "bad", said: capital(fails.static.text) };
  }
  const alike = runs.filter((run) => run.verdict === worst.verdict).length;
  const counted = runs.length === 1 || isGood(worst.verdict) ? "" : ` ${alike} of ${runs.length} runs ended so.`;
  return { word: VERDICTS[worst.verdict], tone: toneOf(worst), said: `${saidOf(worst, runs)}${counted}` };
}

/** The verdict in one sentence. */
function saidOf(worst: RunEntry, runs: readonly RunEntry[]): string {
  switch (worst.verdict) {
    case "verified":
      return runs.length === 1 ? "Every expectation holds." : `Every expectation holds in all ${runs.length} runs.`;
    case "consistent":
      return worst.message === "" ? "Both orders of the program agree; no expectation says what the result should be." : capital(worst.message);
    case "hangs":
      return `${stuck(worst)}.`;
    case "wrong": {
      const failing = worst.expectations.find((one) => !one.ok);
      return failing === undefined ? "" : `\`${failing.text}\` does not hold: ${count(failing.differing)} of ${count(failing.total)} elements differ.`;
    }
    case "crashed":
    case "not-run":
      return capital(worst.message);
  }
}

function comparedOf(run: RunEntry, id: number, known: Known): Line[] {
  const last = lastGood(run, id, known.history);
  if (last === undefined) {
    return [{ text: isGood(run.verdict) ? "The first good run that is known of this kernel." : "No good run of this kernel is known." }];
  }
  const { before, alike } = last;
  const time = before.run.engine === "gpu" ? timeText(before.run) : "";
  const facts = [VERDICTS[before.run.verdict].toLowerCase(), ...(alike ? [] : [sizesText(before.run.sizes), engineText(before.run)]), time];
  const then = `${known.when(before.at)}: ${facts.filter((fact) => fact !== "").join(", ")}`;
  if (!isGood(run.verdict)) {
    return [{ text: alike ? `It was good before: ${then}.` : `Last good run of this kernel: ${then}.`, tone: "bad" }];
  }
  if (last.ratio !== undefined) {
    return [{ text: `${capital(ratioText(last.ratio))} the last good run (${then}).`, tone: ratioTone(last.ratio) }];
  }
  return [{ text: `Good before, too: ${then}.` }];
}

/** A time that differs little says nothing. */
function ratioTone(value: number): Tone {
  return value > 1.05 ? "bad" : value < 0.95 ? "good" : "none";
}

function verificationOf(result: RunResult): Table | undefined {
  const verified = verifiedOf(result);
  if (verified.length === 0) {
    return undefined;
  }
  const rows = verified.map((one): Cell[] => [
    { text: `${one.sim.function} ${label(one.sim)}`, code: true },
    { text: one.static.text, tone: one.static.verdict === "fails" ? "bad" : one.static.verdict === "proved" ? "good" : "none" },
    { text: VERDICTS[one.sim.verdict], tone: toneOf(one.sim) },
    one.gpu === null ? { text: "not here" } : { text: VERDICTS[one.gpu.verdict], tone: toneOf(one.gpu) },
    { text: one.agree ? "yes" : "no: please report this kernel", tone: one.agree ? "none" : "bad" },
  ]);
  return { caption: "Verified three ways", columns: ["Run", "Credit flow", "Simulator", "Card", "They agree"], numbers: [], rows };
}

/** Why a run was not made on a card, too. */
function absence(result: RunResult, run: RunEntry): string[] {
  return verifiedOf(result).flatMap((one) => (one.sim === run && one.gpu === null ? [`Not on a card: ${one.said}`] : []));
}

/** The runs side by side. */
function overviewOf(runs: readonly RunEntry[], id: number, history: readonly Past[]): Table {
  const several = new Set(runs.map((run) => run.function)).size > 1;
  const places = new Set(runs.map(engineText));
  const where = places.size === 1 ? `, ${[...places].join("")}` : "";
  const columns: [string, boolean, (run: RunEntry) => Cell][] = [
    ["Function", false, (run) => ({ text: several ? run.function : "", code: true })],
    ["Run", false, (run) => ({ text: run.name })],
    ["Sizes", false, (run) => ({ text: sizesText(run.sizes), code: true })],
    ["Verdict", false, (run) => ({ text: VERDICTS[run.verdict], tone: toneOf(run) })],
    ["Where", false, (run) => ({ text: places.size === 1 ? "" : engineText(run) })],
    ["Time", true, (run) => ({ text: timeText(run) })],
    ["TFLOP/s", true, ({ timing }) => ({ text: timing !== null && timing.operations > 0 ? rate(timing.tflops) : "" })],
    ["of cuBLAS", true, ({ timing }) => ({ text: timing !== null && timing.operations > 0 ? (share(timing.tflops, timing.ceiling?.tflops ?? 0) ?? "") : "" })],
    ["GB/s", true, ({ timing }) => ({ text: timing === null ? "" : rate(timing.gbps) })],
    ["of copy", true, ({ timing }) => ({ text: timing === null ? "" : (share(timing.gbps, timing.ceiling?.gbps ?? 0) ?? "") })],
    ["Against last good", false, (run) => againstLast(run, id, history)],
  ];
  return filled(`Runs side by side${where}`, columns, runs);
}

function againstLast(run: RunEntry, id: number, history: readonly Past[]): Cell {
  const last = lastGood(run, id, history);
  if (last?.alike !== true) {
    return { text: "" };
  }
  if (!isGood(run.verdict)) {
    return { text: `was ${VERDICTS[last.before.run.verdict].toLowerCase()}`, tone: "bad" };
  }
  return last.ratio === undefined ? { text: "good, too" } : { text: `${last.ratio.toFixed(2)} × the time`, tone: ratioTone(last.ratio) };
}

function historyOf(runs: readonly RunEntry[], functions: readonly string[], known: Known): Table | undefined {
  const past = known.history.filter((one) => functions.includes(one.run.function)).slice(-MOST_PAST).reverse();
  if (past.length < 2) {
    return undefined;
  }
  const columns: [string, boolean, (one: Past) => Cell][] = [
    ["When", false, (one) => ({ text: known.when(one.at) })],
    ["Function", false, (one) => ({ text: functions.length > 1 ? one.run.function : "", code: true })],
    ["Verdict", false, (one) => ({ text: VERDICTS[one.run.verdict], tone: toneOf(one.run) })],
    ["Sizes", false, (one) => ({ text: sizesText(one.run.sizes), code: true })],
    ["Where", false, (one) => ({ text: engineText(one.run) })],
    ["Time", true, (one) => ({ text: one.run.engine === "sim" ? "" : timeText(one.run) })],
    ["TFLOP/s", true, ({ run }) => ({ text: run.timing !== null && run.timing.operations > 0 ? rate(run.timing.tflops) : "" })],
    ["This run takes", false, (one) => thisRun(one, runs, known.result?.id ?? EARLIER)],
  ];
  return filled("Last runs of this kernel", columns, past);
}

function thisRun(past: Past, runs: readonly RunEntry[], id: number): Cell {
  if (past.id === id && id !== EARLIER) {
    return { text: "this one" };
  }
  const now = runs.find((run) => run.function === past.run.function && isAlike(run, past.run));
  const value = now === undefined || !isGood(past.run.verdict) ? undefined : ratio(now, past.run);
  return { text: value === undefined ? "" : `${value.toFixed(2)} × the time` };
}
