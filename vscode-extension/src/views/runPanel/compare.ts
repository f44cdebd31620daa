/** A run set against the ones before it. Must not import `vscode`. */
import { isGood, type KeptRun, type Past } from "../../runTypes.js";

/** How a run does against the last good one before it. */
export interface Comparison {
  readonly before: Past;
  /** Whether sizes, engine, architecture and card are the same, so that times may be compared. */
  readonly alike: boolean;
  /** This time over that one; on a card alone, for a simulator's time says nothing of the kernel. */
  readonly ratio: number | undefined;
}

/** The newest good run of the function before run `id`; one that is alike is taken before any other. */
export function lastGood(run: KeptRun, id: number, history: readonly Past[]): Comparison | undefined {
  const good = history.filter((past) => past.run.function === run.function && past.id !== id && isGood(past.run.verdict));
  const same = [...good].reverse().find((past) => isAlike(run, past.run));
  const before = same ?? good.at(-1);
  return before === undefined ? undefined : { before, alike: same !== undefined, ratio: same === undefined ? undefined : ratio(run, same.run) };
}

export function isAlike(one: KeptRun, other: KeptRun): boolean {
  return (
    one.engine === other.engine &&
    one.arch === other.arch &&
    (one.timing === null || other.timing === null || one.timing.card === other.timing.card) &&
    sameSizes(one, other)
  );
}

function sameSizes(one: KeptRun, other: KeptRun): boolean {
  const names = Object.keys(one.sizes);
  return names.length === Object.keys(other.sizes).length && names.every((name) => one.sizes[name] === other.sizes[name]);
}

/** The ratio of two times on one card. */
export function ratio(run: KeptRun, before: KeptRun): number | undefined {
  const [now, then] = [run.timing?.median, before.timing?.median];
  return isGood(run.verdict) && now !== undefined && then !== undefined && then > 0 ? now / then : undefined;
}

/** As in "1.25 times as long as": what is within 2 % counts as the same. */
export function ratioText(value: number): string {
  if (Math.abs(value - 1) < 0.02) {
    return "as fast as";
  }
  return value > 1 ? `${value.toFixed(2)} times as long as` : `${(1 / value).toFixed(2)} times as fast as`;
}
