/** All that is known of one run, as data. Must not import `vscode`. */
import type { Expectation, RunEntry } from "../../runTypes.js";
import { allowed, awaited, capital, count, difference, duration, engineText, figure, judgement, rate, share, sizesText, timeText, tolerance, VERDICTS } from "../../runWords.js";
import { type Cell, type Line, type Table, type Tone, toneOf } from "./table.js";

/** One run of one function. */
export interface Section {
  readonly title: string;
  readonly verdict: string;
  readonly tone: Tone;
  readonly facts: string;
  readonly message: Line | undefined;
  readonly rates: Table | undefined;
  readonly expectations: readonly { readonly text: string; readonly tone: Tone; readonly said: string; readonly rule: string }[];
  readonly worst: Table | undefined;
  readonly hang: readonly Line[];
  readonly notes: readonly string[];
  readonly prints: string;
}

/** Characters of what a kernel printed, with the words about the rest. */
const MOST_PRINTED = 20_000;
const ROOM_FOR_WORDS = 40;

/** `named`: with the name of the function; `more` is noted, too. */
export function sectionOf(run: RunEntry, named: boolean, more: readonly string[]): Section {
  const schedule = run.schedule === 0 ? [] : [`schedule ${run.schedule}`];
  const compiled = run.compileTime > 0 ? [`compiled in ${duration(run.compileTime)}`] : [];
  const time = timeText(run);
  const took = time === "" ? [] : [run.engine === "sim" ? `simulated in ${time}` : time];
  const place = run.range === null ? {} : { place: run.range.start };
  return {
    title: [...(named ? [run.function] : []), ...(run.name === "" ? [] : [`“${run.name}”`]), sizesText(run.sizes)].join(" ") || run.function,
    verdict: VERDICTS[run.verdict],
    tone: toneOf(run),
    facts: [engineText(run), run.arch, `seed ${run.seed}`, ...schedule, ...compiled, ...took].join(" · "),
    message: run.message === "" || run.verdict === "hangs" ? undefined : { text: capital(run.message), ...place },
    rates: ratesOf(run),
    expectations: run.expectations.map((one) => ({ text: one.text, tone: one.ok ? "good" : "bad", said: judgement(one), rule: tolerance(one) })),
    worst: worstTable(run.expectations),
    hang: run.hang.map((one) => ({
      text: `${one.path} waits for ${awaited(one)}, generation ${one.generation}${one.owedBy === "" ? "" : `; owed by ${one.owedBy}`}`,
      place: one.range.start,
    })),
    notes: [...run.notes, ...more],
    prints: printed(run),
  };
}

/** What is shown of a run's prints. What was shortened before stays as it is. */
export function printed({ prints }: RunEntry): string {
  const text = prints.join("").replace(/\n$/, "");
  const shown = MOST_PRINTED - ROOM_FOR_WORDS;
  return text.length <= MOST_PRINTED ? text : `${text.slice(0, shown)}\n… ${count(text.length - shown)} more characters`;
}

function ratesOf({ timing }: RunEntry): Table | undefined {
  if (timing === null) {
    return undefined;
  }
  const ceiling = timing.ceiling;
  const of = (part: number, whole: number, what: string): string => {
    const known = share(part, whole);
    return known === undefined ? "" : `${known} of ${rate(whole)} (${what})`;
  };
  const rows: Cell[][] = [
    [{ text: "Time" }, { text: duration(timing.median) }, { text: `median of ${timing.rounds} rounds, best ${duration(timing.best)}` }],
  ];
  if (timing.operations > 0) {
    rows.push([{ text: "TFLOP/s" }, { text: rate(timing.tflops) }, { text: of(timing.tflops, ceiling?.tflops ?? 0, "cuBLAS, f16, 8192³") }]);
  }
  rows.push([{ text: "GB/s" }, { text: rate(timing.gbps) }, { text: of(timing.gbps, ceiling?.gbps ?? 0, "the card's copy; each array once") }]);
  const measured = ceiling === null ? "" : `, ceiling measured ${ceiling.measured}`;
  return { caption: `On ${timing.card}${measured}`, columns: ["Rate", "This run", "Of what the card reaches"], numbers: [1], rows };
}

/** The element of each expectation that is furthest off, or nearest to the edge where it holds. */
function worstTable(all: readonly Expectation[]): Table | undefined {
  const rows = all.flatMap((one): Cell[][] => {
    if (one.worst === null || (one.rtol === 0 && one.atol === 0 && one.ok)) {
      return [];
    }
    const { index, got, want } = one.worst;
    return [
      [
        { text: one.text, code: true },
        { text: `[${index.join(", ")}]`, code: true },
        { text: figure(got, 9), tone: one.ok ? "none" : "bad" },
        { text: figure(want, 9) },
        { text: difference(got, want) },
        { text: allowed(one, want) },
      ],
    ];
  });
  const columns = ["Expectation", "Element", "Got", "Expected", "Off by", "Allowed"];
  return rows.length === 0 ? undefined : { caption: "Worst elements", columns, numbers: [2, 3, 4, 5], rows };
}
