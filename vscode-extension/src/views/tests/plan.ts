/** What tests are called, and in which runs those that were chosen are made: one a function where all its run lines are. Must not import `vscode`. */
import type { KernelTest } from "../../runTypes.js";

/** A test of a file. */
export interface Chosen<Item> {
  readonly item: Item;
  readonly uri: string;
  readonly test: KernelTest;
  /** How many tests its function has. */
  readonly ofFunction: number;
}

/** What a test is called: results name tests without their descriptions, so that two of a function need names of their own. */
export function nameOf({ function: name, overload, label }: KernelTest, all: readonly KernelTest[]): { readonly label: string; readonly description: string } {
  const alike = all.filter((other) => other.function === name);
  const which = alike.some((other) => other.overload !== overload) ? `${name} (${String(overload + 1)})` : name;
  return alike.length > 1 ? { label: `${which} ${label}`.trim(), description: "" } : { label: name, description: label };
}

/** Whether two tests are of one function. */
export function isOfOne(one: KernelTest | undefined, other: KernelTest): boolean {
  return one?.function === other.function && one.overload === other.overload;
}

/** One run; without `runLine` all lines of the function, for as many items. */
export interface Group<Item> {
  readonly uri: string;
  readonly entry: string;
  readonly overload: number;
  readonly runLine: number | undefined;
  readonly items: readonly Item[];
}

export function groupsOf<Item>(chosen: readonly Chosen<Item>[]): Group<Item>[] {
  const byFunction = new Map<string, Chosen<Item>[]>();
  for (const one of chosen) {
    const key = JSON.stringify([one.uri, one.test.function, one.test.overload]);
    byFunction.set(key, [...(byFunction.get(key) ?? []), one]);
  }
  return [...byFunction.values()].flatMap((own) => {
    const sorted = [...own].sort((a, b) => (a.test.runLine ?? 0) - (b.test.runLine ?? 0));
    const [first] = sorted;
    if (first === undefined) {
      return [];
    }
    const { uri, test } = first;
    const which = { uri, entry: test.function, overload: test.overload };
    if (own.length === first.ofFunction) {
      return [{ ...which, runLine: undefined, items: sorted.map((one) => one.item) }];
    }
    return sorted.map((one) => ({ ...which, runLine: one.test.runLine ?? undefined, items: [one.item] }));
  });
}
