/** The words beside each `wait` after a profile: how much of its path's time goes by standing there. Must not import `vscode`. */
import type { Range } from "../../lsp.js";
import type { PlaceTime, ProfileEntry } from "../../profileTypes.js";

/** `text` stands beside the statement of `range`, `detail` is Markdown for whoever looks closer. */
export interface Share {
  readonly range: Range;
  readonly text: string;
  readonly detail: string;
}

const HEAD = ["path", "block", "visits", "µs in all", "of its time", "median ns", "longest ns"];

interface Stay {
  readonly profile: ProfileEntry;
  readonly block: number;
  readonly place: PlaceTime;
}

/** One a statement, in their order; where several blocks or paths come to it, its text tells the range of their shares. */
export function sharesOf(profiles: readonly ProfileEntry[]): Share[] {
  const places = new Map<string, { readonly range: Range; readonly stays: Stay[] }>();
  for (const stay of profiles.flatMap(staysOf)) {
    const { range } = stay.place;
    const key = JSON.stringify(range);
    places.set(key, { range, stays: [...(places.get(key)?.stays ?? []), stay] });
  }
  return [...places.values()]
    .map(({ range, stays }) => ({ range, text: textOf(stays), detail: detailOf(stays) }))
    .sort((a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character);
}

function staysOf(profile: ProfileEntry): Stay[] {
  return profile.kernels.flatMap((kernel) =>
    kernel.blocks.flatMap(({ block, places }) =>
      places.filter(({ isWait }) => isWait).map((place) => ({ profile, block, place })),
    ),
  );
}

function percent(share: number): number {
  return Math.round(100 * share);
}

function textOf(stays: readonly Stay[]): string {
  const shares = stays.map(({ place }) => percent(place.share));
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  return least === most ? `stalls ${most} %` : `stalls ${least}–${most} %`;
}

function detailOf(stays: readonly Stay[]): string {
  const rows = stays.map(({ block, place }) => [
    `\`${place.path.replaceAll("|", "\\|")}\``,
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
