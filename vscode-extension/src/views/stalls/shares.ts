/** The words beside each `wait` after a profile: how much of its path's time goes by there. Must not import `vscode`. */
import type { PlaceTime, ProfileEntry } from "../../profileTypes.js";

/** `text` stands behind the line, `detail` is Markdown for whoever looks closer. */
export interface Share {
  readonly line: number;
  readonly text: string;
  readonly detail: string;
}

const WAITS: readonly string[] = ["wait", "wait-future"];
const HEAD = ["path", "block", "visits", "µs in all", "of its time", "median ns", "longest ns"];

interface Stay {
  readonly profile: ProfileEntry;
  readonly block: number;
  readonly place: PlaceTime;
}

/** One a line, in their order; a line that several blocks or paths come to tells the range of their shares. */
export function sharesOf(profiles: readonly ProfileEntry[]): Share[] {
  const lines = new Map<number, Stay[]>();
  for (const stay of profiles.flatMap(staysOf)) {
    const line = stay.place.range.start.line;
    lines.set(line, [...(lines.get(line) ?? []), stay]);
  }
  return [...lines.entries()].sort(([a], [b]) => a - b).map(([line, stays]) => ({ line, text: textOf(stays), detail: detailOf(stays) }));
}

function staysOf(profile: ProfileEntry): Stay[] {
  return profile.kernels.flatMap((kernel) =>
    kernel.blocks.flatMap(({ block, places }) =>
      places.filter(({ op }) => WAITS.includes(op)).map((place) => ({ profile, block, place })),
    ),
  );
}

function percent(share: number): number {
  return Math.round(100 * share);
}

function textOf(stays: readonly Stay[]): string {
  const shares = stays.map(({ place }) => percent(place.share));
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  return least === most ? `waits ${most} % of the time` : `waits ${least}–${most} % of the time`;
}

function detailOf(stays: readonly Stay[]): string {
  const rows = stays.map(({ block, place }) => [
    `\`${place.path.replace(/^path /, "").replaceAll("|", "\\|")}\``,
    block,
    place.count,
    (place.total / 1000).toFixed(2),
    `${percent(place.share)} %`,
    place.median,
    place.longest,
  ]);
  const about = new Set(stays.map(({ profile }) => `${profile.function} ${sizesOf(profile)} on ${profile.card}`));
  const table = [HEAD, HEAD.map((_, i) => (i === 0 ? ":--" : "--:")), ...rows].map((row) => `| ${row.join(" | ")} |`);
  return `Measured: ${[...about].join("; ")}. Until the next edit.\n\n${table.join("\n")}\n`;
}

function sizesOf({ sizes }: ProfileEntry): string {
  return Object.entries(sizes)
    .map(([name, value]) => `${name} = ${value}`)
    .join(", ");
}
