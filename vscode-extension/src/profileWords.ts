/** What is said of a profile beside its figures. Must not import `vscode`. */
import type { ProfileEntry } from "./profileTypes.js";

/** The functions that were not profiled, each with the reason; undefined where there is none. */
export function notProfiled(profiles: readonly ProfileEntry[]): string | undefined {
  const failed = profiles.filter(({ kernels }) => kernels.length === 0);
  return failed.length === 0 ? undefined : failed.map((one) => `${one.function} was not profiled: ${one.message}`).join("; ");
}
