/** Runs named tests inside the extension host, one after another, and tells of each on the console, where the driver listens. */
import * as assert from "node:assert/strict";

export type Tests = Readonly<Record<string, () => Promise<void> | void>>;

const LIMIT_MS = 90_000;
const POLL_MS = 25;

/** What a bundle exports as `run`: it resolves when all have run, whatever came of them. */
export function suite(tests: Tests): () => Promise<void> {
  return async () => {
    for (const [name, test] of Object.entries(tests)) {
      const began = Date.now();
      let failure = "";
      try {
        await limited(Promise.resolve(test()), LIMIT_MS);
      } catch (error) {
        failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
      }
      console.log(`CROQTILE-TEST ${JSON.stringify({ name, failure, ms: Date.now() - began })}`);
    }
  };
}

async function limited<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${ms} ms`)), ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** Waits until `look` gives something; the failure says what was seen last. */
export async function until<T>(what: string, look: () => T | Promise<T>, ms = 30_000): Promise<NonNullable<T>> {
  const end = Date.now() + ms;
  for (;;) {
    const seen = await look();
    if (seen) {
      return seen;
    }
    if (Date.now() > end) {
      throw new assert.AssertionError({ message: `${what}: not within ${ms} ms` });
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
