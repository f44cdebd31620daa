/** Words and numbers for runs, shared by panel, report and tests. Must not import `vscode`. */
import { entriesOf, type Expectation, type Figure, type KeptRun, type RunEntry, type RunResult, type Sizes, type Verdict } from "./runTypes.js";

export const VERDICTS: Readonly<Record<Verdict, string>> = {
  verified: "Verified",
  consistent: "Consistent",
  wrong: "Wrong",
  hangs: "Stuck",
  crashed: "Crashed",
  "not-run": "Not run",
};

const WORST_FIRST: readonly Verdict[] = ["hangs", "wrong", "crashed", "not-run", "consistent", "verified"];

/** Of several runs the one that is told of: the first of the worst verdict. */
export function worstOf<R extends KeptRun>(runs: readonly R[]): R | undefined {
  return WORST_FIRST.map((verdict) => runs.find((run) => run.verdict === verdict)).find((run) => run !== undefined);
}

/** Six digits at most, as `croq run` prints them; whole numbers as they are. */
export function figure(value: Figure, digits = 6): string {
  if (typeof value !== "number" || Number.isInteger(value)) {
    return String(value);
  }
  const [mantissa = "", exponent] = value.toPrecision(digits).split("e");
  const plain = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return exponent === undefined ? plain : `${plain}e${exponent}`;
}

/** 262144 as "262,144". */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Three digits: "812 µs". */
export function duration(seconds: number): string {
  for (const [factor, unit] of [
    [1e6, "µs"],
    [1e3, "ms"],
  ] as const) {
    if (seconds * factor < 999.5) {
      return `${figure(seconds * factor, 3)} ${unit}`;
    }
  }
  return seconds < 999.5 ? `${figure(seconds, 3)} s` : `${seconds.toFixed(0)} s`;
}

/** A rate with three digits, or all of those in front of the point. */
export function rate(value: number): string {
  return value >= 100 ? value.toFixed(0) : figure(value, 3);
}

/** The share of a ceiling; undefined where there is none. */
export function share(part: number, whole: number): string | undefined {
  if (!(whole > 0)) {
    return undefined;
  }
  const percent = (100 * part) / whole;
  return percent >= 1 ? `${percent.toFixed(0)} %` : "< 1 %";
}

export function sizesText(sizes: Sizes): string {
  return Object.entries(sizes)
    .map(([name, value]) => `${name}=${figure(value)}`)
    .join(" ");
}

/** What tells a run from others of its function. */
export function label(run: KeptRun): string {
  return run.name === "" ? sizesText(run.sizes) : run.name;
}

export function engineText(run: KeptRun): string {
  return run.engine === "sim" ? "simulator" : (run.timing?.card ?? "card");
}

/** How long it took: on a card the kernels' time, in the simulator that of simulating. */
export function timeText(run: KeptRun): string {
  if (run.engine === "sim") {
    return run.time > 0 ? duration(run.time) : "";
  }
  return run.timing === null ? "" : duration(run.timing.median);
}

/** After how long a run that hangs was ended. */
export function stopped(run: RunEntry): string {
  return run.engine === "sim" ? `Stopped after ${duration(run.time)}` : capital(run.message || "stopped");
}

/** The hang in one sentence, in the server's words for the first path that stands. */
export function stuck(run: RunEntry): string {
  const [first] = run.hang;
  return first === undefined ? stopped(run) : `${stopped(run)}: ${first.text}`;
}

/** Why a run was not made, or one of its kernels was kept from the card; undefined where all were run. */
export function refusedText(result: RunResult): string | undefined {
  if (result.state === "refused") {
    return result.message;
  }
  const kept = result.offer === "force" ? entriesOf(result).find((one) => one.offer === "force") : undefined;
  return kept === undefined ? undefined : `${kept.function} was not run on the card: ${kept.message}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How an expectation did: what differs and where, or how near it came, and what was allowed. */
export function judgement(one: Expectation): string {
  if (one.ok) {
    const exact = one.rtol === 0 && one.atol === 0;
    const how = exact ? "all equal" : `largest error ${figure(one.norms.maxAbs, 3)}`;
    return `${count(one.total)} ${one.total === 1 ? "element" : "elements"}, ${how}`;
  }
  if (one.worst !== null && one.worst.got === one.worst.want) {
    return `${count(one.differing)} of ${count(one.total)} elements still hold what they started with`;
  }
  const box = isPart(one) ? ` all in [${(one.within ?? []).map((axis) => axis.join(":")).join(", ")}],` : "";
  const sizes = `largest error ${figure(one.norms.maxAbs, 3)}, relative 2-norm of the error ${figure(one.norms.relL2, 3)}`;
  return `${count(one.differing)} of ${count(one.total)} elements differ,${box} ${sizes}`;
}

/** Whether the box of what differs says more than that something differs everywhere, or at one place. */
function isPart({ within, differing, total }: Expectation): boolean {
  const inside = (within ?? []).reduce((product, [start = 0, end = 0]) => product * (end - start), 1);
  return within !== null && differing > 1 && inside < total;
}

/** The rule by which two elements were the same. */
export function tolerance(one: Expectation): string {
  return one.rtol === 0 && one.atol === 0
    ? "elements must be equal"
    : `|got − expected| ≤ ${figure(one.atol, 3)} + ${figure(one.rtol, 3)} · |expected|`;
}

/** Of a wrong element: how far it is off, where both are numbers. */
export function difference(got: Figure, want: Figure): string {
  return typeof got === "number" && typeof want === "number" ? figure(Math.abs(got - want), 3) : "";
}

/** What was allowed for an element that should have been `want`. */
export function allowed(one: Expectation, want: Figure): string {
  const { rtol, atol } = one;
  const known = typeof rtol === "number" && typeof atol === "number" && typeof want === "number";
  return known ? figure(atol + rtol * Math.abs(want), 3) : "";
}
