/**
 * What came of a run as Markdown: the report for an issue, and the output of a test. Names no folder of the user's.
 * Must not import `vscode`.
 */
import { entriesOf, type RunEntry, type RunResult, type Verified, verifiedOf } from "./runTypes.js";
import { capital, difference, duration, engineText, figure, judgement, rate, share, sizesText, stopped, timeText, tolerance, VERDICTS } from "./runWords.js";

export interface Surrounding {
  /** Where the file stands, which the report leaves out but for the name. */
  readonly path: string;
  /** Version and place of the extension. */
  readonly extension: string;
  readonly server: string;
}

const MOST_PRINTS = 40;

/** The whole report, ending in a line end. */
export function runReport(result: RunResult, around: Surrounding): string {
  const name = nameOf(around.path);
  const cards = new Set(entriesOf(result).flatMap((run) => (run.timing === null ? [] : [run.timing.card])));
  const facts = [
    `- croqtile-tools ${around.server}`,
    `- extension ${around.extension}`,
    ...[...cards].map((card) => `- card ${card}`),
  ];
  const end = result.state === "done" ? [] : ["", `${capital(result.state)}: ${result.message}`];
  const lines = [`### Croqtile ${result.task}: ${name}`, "", ...facts, ...end, ...body(result)];
  return `${withoutFolders(lines.join("\n"), around.path)}\n`;
}

function body(result: RunResult): string[] {
  const verified = verifiedOf(result);
  return verified.length > 0
    ? verified.flatMap((one) => ["", ...verification(one)])
    : entriesOf(result).flatMap((run) => ["", ...runLines(run)]);
}

function verification(one: Verified): string[] {
  const card = one.gpu === null ? ["", `Not on a card: ${one.said}`] : ["", ...runLines(one.gpu)];
  const agree = one.agree ? [] : ["", "**These contradict each other.**"];
  return [...runLines(one.sim), ...card, "", `Credit flow: ${one.static.text}`, ...agree];
}

/** One run: its verdict and all that is known of it. */
export function runLines(run: RunEntry): string[] {
  const name = run.name === "" ? "" : ` "${run.name}"`;
  const facts = [sizesText(run.sizes), engineText(run), run.arch, `seed ${run.seed}`, timeText(run)];
  const schedule = run.schedule === 0 ? [] : [`schedule ${run.schedule}`];
  const lines = [
    `**${VERDICTS[run.verdict]}** \`${run.function}\`${name}: ${[...facts, ...schedule].filter((fact) => fact !== "").join(", ")}`,
    "",
    ...rates(run),
    ...message(run),
    ...run.expectations.flatMap(expectation),
    ...hang(run),
    ...run.notes.map((note) => `- note: ${note}`),
  ];
  return [...lines, ...prints(run.prints)];
}

function message(run: RunEntry): string[] {
  if (run.message === "" || run.verdict === "hangs") {
    return [];
  }
  return [run.range === null ? `- ${run.message}` : `- line ${run.range.start.line + 1}: ${run.message}`];
}

function rates({ timing }: RunEntry): string[] {
  if (timing === null) {
    return [];
  }
  const { ceiling } = timing;
  const of = (part: number, whole: number | undefined, what: string): string => {
    const known = whole === undefined ? undefined : share(part, whole);
    return known === undefined ? "" : ` (${known} of ${what})`;
  };
  const parts = [
    `median ${duration(timing.median)} of ${timing.rounds} rounds, best ${duration(timing.best)}`,
    ...(timing.operations > 0 ? [`${rate(timing.tflops)} TFLOP/s${of(timing.tflops, ceiling?.tflops, "cuBLAS, f16")}`] : []),
    `${rate(timing.gbps)} GB/s${of(timing.gbps, ceiling?.gbps, "the card's copy")}`,
  ];
  return [`- ${parts.join(", ")}`];
}

function expectation(one: RunEntry["expectations"][number]): string[] {
  const lines = [`- ${one.ok ? "ok" : "FAILS"} \`${one.text}\`: ${judgement(one)}; ${tolerance(one)}`];
  if (!one.ok && one.worst !== null) {
    const { index, got, want } = one.worst;
    const off = difference(got, want);
    lines.push(`  - worst at [${index.join(", ")}]: got ${figure(got, 9)}, expected ${figure(want, 9)}${off === "" ? "" : `, off by ${off}`}`);
  }
  return lines;
}

function hang(run: RunEntry): string[] {
  if (run.verdict !== "hangs") {
    return [];
  }
  const paths = run.hang.map((one) => `  - line ${one.range.start.line + 1}: ${one.text}`);
  return [`- ${stopped(run)}`, ...paths];
}

function prints(all: readonly string[]): string[] {
  const lines = all.flatMap((text) => text.replace(/\n$/, "").split("\n"));
  if (lines.length === 0) {
    return [];
  }
  const more = lines.length > MOST_PRINTS ? [`… ${lines.length - MOST_PRINTS} more lines`] : [];
  const shown = [...lines.slice(0, MOST_PRINTS), ...more];
  const longest = Math.max(2, ...shown.map((line) => Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length))));
  const fence = "`".repeat(longest + 1); // what a kernel prints does not end it
  return ["", `${fence}text`, ...shown, fence];
}

function nameOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

/** Messages of the server may name the file by its path: the name alone is left. */
function withoutFolders(text: string, path: string): string {
  const folder = path.slice(0, path.length - nameOf(path).length);
  return folder.length > 1 ? text.replaceAll(folder, "") : text;
}
