/**
 * The geometry of the plot of TFLOP/s over size: points of a run and of those before it, and what the card reaches.
 * Must not import `vscode` or write HTML.
 */
import { isGood, type KeptRun, type Past, type Timing } from "../../runTypes.js";
import { count, rate, sizesText } from "../../runWords.js";
import { isAlike } from "./compare.js";

export interface Tick {
  readonly at: number;
  readonly label: string;
}

export interface Mark {
  readonly x: number;
  readonly y: number;
  readonly label: string;
}

/** `points` are joined by a line where `line` is set. */
export interface Series {
  readonly kind: "now" | "before" | "cublas" | "memory";
  readonly name: string;
  readonly marks: readonly Mark[];
}

/** In units of the picture, x to the right and y downwards. */
export interface Plot {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly frame: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  readonly series: readonly Series[];
  /** All that the picture says, in words. */
  readonly summary: string;
}

interface Point {
  readonly run: KeptRun;
  readonly timing: Timing;
  readonly x: number;
}

const WIDTH = 640;
const HEIGHT = 300;
const FRAME = { left: 58, right: 624, top: 14, bottom: 252 };
/** Beyond this ratio of largest to smallest an axis is logarithmic. */
const WIDE = 20;
const MOST_TICKS = 8;

/**
 * The plot of one function; undefined where there are no two different points with a rate. Of the runs before, the newest
 * good one for each size is drawn, of the same card alone.
 */
export function plotOf(name: string, runs: readonly KeptRun[], id: number, history: readonly Past[]): Plot | undefined {
  const now = timed(runs);
  const card = now[0]?.timing.card;
  const earlier = timed(
    [...history]
      .reverse()
      .filter((past) => past.id !== id && isGood(past.run.verdict) && past.run.function === name)
      .map((past) => past.run)
      .filter((run, at, all) => all.findIndex((other) => isAlike(run, other)) === at),
  ).filter((point) => point.timing.card === card);
  const all = [...now, ...earlier];
  if (now.length === 0 || all.length < 2) {
    return undefined;
  }
  const axis = sizeAxis(all.map((point) => point.run));
  const placed = (points: readonly Timed[]): Point[] =>
    points.map((point) => ({ ...point, x: axis.value(point.run, point.timing) })).sort((a, b) => a.x - b.x);
  return drawn(name, axis.name, placed(now), placed(earlier), card ?? "");
}

interface Timed {
  readonly run: KeptRun;
  readonly timing: Timing;
}

function timed(runs: readonly KeptRun[]): Timed[] {
  return runs.flatMap((run) => (run.timing !== null && run.timing.operations > 0 && run.timing.median > 0 ? [{ run, timing: run.timing }] : []));
}

interface Axis {
  readonly name: string;
  value(run: KeptRun, timing: Timing): number;
}

/** The one size that varies, the common value where all are equal in each run, else the operations that were done. */
function sizeAxis(runs: readonly KeptRun[]): Axis {
  const whole = runs.map((run) => new Map(Object.entries(run.sizes).filter((entry): entry is [string, number] => typeof entry[1] === "number" && Number.isInteger(entry[1]))));
  const names = [...new Set(whole.flatMap((sizes) => [...sizes.keys()]))];
  const varying = names.filter((name) => new Set(whole.map((sizes) => sizes.get(name))).size > 1);
  const [only] = varying;
  if (only !== undefined && varying.length === 1 && whole.every((sizes) => sizes.has(only))) {
    return { name: only, value: (run) => Number(run.sizes[only]) };
  }
  const equal = varying.length > 1 && whole.every((sizes) => new Set(varying.map((name) => sizes.get(name))).size === 1);
  const [first] = varying;
  if (equal && first !== undefined) {
    return { name: varying.join(" = "), value: (run) => Number(run.sizes[first]) };
  }
  return { name: "operations of the multiplies", value: (_, timing) => timing.operations };
}

function drawn(name: string, xName: string, now: readonly Point[], before: readonly Point[], card: string): Plot {
  const all = [...now, ...before];
  const ceiling = [...now, ...before].map((point) => point.timing.ceiling).find((known) => known !== null) ?? null;
  const rates = all.map((point) => point.timing.tflops);
  const cublas = ceiling !== null && ceiling.tflops > 0 ? ceiling.tflops : undefined;
  const x = scale(all.map((point) => point.x), FRAME.left + 24, FRAME.right - 24);
  const y = heights(cublas === undefined ? rates : [...rates, cublas]);
  const mark = (point: Point): Mark => ({
    x: x(point.x),
    y: y.at(point.timing.tflops),
    label: `${sizesText(point.run.sizes)}: ${rate(point.timing.tflops)} TFLOP/s`,
  });
  const series: Series[] = [];
  if (cublas !== undefined) {
    const label = `cuBLAS, f16, 8192³: ${rate(cublas)} TFLOP/s`;
    series.push({ kind: "cublas", name: label, marks: [FRAME.left, FRAME.right].map((at) => ({ x: at, y: y.at(cublas), label })) });
  }
  const memory = ceiling === null ? [] : memoryLimit(all, ceiling.gbps, x, y);
  if (ceiling !== null && memory.length > 0) {
    series.push({ kind: "memory", name: `memory: each array once at ${count(Math.round(ceiling.gbps))} GB/s (the card's copy)`, marks: memory });
  }
  if (before.length > 0) {
    series.push({ kind: "before", name: "last good runs before", marks: before.map(mark) });
  }
  series.push({ kind: "now", name: "this run", marks: now.map(mark) });
  return {
    title: `${name} on ${card}`,
    width: WIDTH,
    height: HEIGHT,
    frame: FRAME,
    xLabel: xName,
    yLabel: "TFLOP/s",
    xTicks: ticksAt(all, x),
    yTicks: y.ticks.map((value) => ({ at: y.at(value), label: figureOf(value) })),
    series,
    summary: [...now.map((point) => mark(point).label), ...(cublas === undefined ? [] : [`cuBLAS reaches ${rate(cublas)} TFLOP/s`])].join("; "),
  };
}

/** What a kernel could reach that moves each of its arrays once as fast as the card copies; what lies above the picture is left out. */
function memoryLimit(points: readonly Point[], gbps: number, x: (value: number) => number, y: Heights): Mark[] {
  const known = points.filter((point) => point.timing.bytes > 0 && gbps > 0);
  const limits = new Map(known.map((point) => [point.x, (gbps * point.timing.operations) / point.timing.bytes / 1000]));
  const marks = [...limits].sort(([a], [b]) => a - b).map(([at, limit]) => ({ x: x(at), y: y.at(limit), label: `${rate(limit)} TFLOP/s` }));
  return belowTop(marks);
}

/** The part of a line that lies in the picture, ending where it leaves it. */
function belowTop(marks: readonly Mark[]): Mark[] {
  return marks.flatMap((mark, at) => {
    const next = marks[at + 1];
    const leaves = next !== undefined && mark.y < FRAME.top !== next.y < FRAME.top;
    const own = mark.y < FRAME.top ? [] : [mark];
    if (!leaves) {
      return own;
    }
    const part = (FRAME.top - mark.y) / (next.y - mark.y);
    return [...own, { x: mark.x + part * (next.x - mark.x), y: FRAME.top, label: "" }];
  });
}

/** Where a size stands; all equal ones stand in the middle. */
function scale(values: readonly number[], from: number, to: number): (value: number) => number {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const f = least > 0 && most / least > 4 ? Math.log2 : (value: number) => value;
  const [low, high] = [f(least), f(most)];
  return (value) => (high === low ? (from + to) / 2 : from + ((f(value) - low) / (high - low)) * (to - from));
}

interface Heights {
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** The axis of rates: from 0, or logarithmic in whole decades where they lie far apart. */
function heights(values: readonly number[]): Heights {
  const most = Math.max(...values);
  const least = Math.min(...values.filter((value) => value > 0));
  if (most / least > WIDE) {
    const [low, high] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
    const ticks = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
    return { ticks, at: (value) => placed((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) };
  }
  const step = niceStep(most / 4);
  const top = step * Math.ceil((most * 1.02) / step);
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, at) => at * step);
  return { ticks, at: (value) => placed(value / top) };
}

function placed(part: number): number {
  return FRAME.bottom - part * (FRAME.bottom - FRAME.top);
}

/** The next of 1, 2, 5 times a power of ten. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * (least / power <= 1 ? 1 : least / power <= 2 ? 2 : least / power <= 5 ? 5 : 10);
}

function ticksAt(points: readonly Point[], x: (value: number) => number): Tick[] {
  const values = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const every = Math.ceil(values.length / MOST_TICKS);
  return values.filter((_, at) => at % every === 0).map((value) => ({ at: x(value), label: figureOf(value) }));
}

function figureOf(value: number): string {
  return value >= 1e6 ? value.toExponential(1).replace("e+", "e") : count(Number(value.toPrecision(6)));
}
