/** Every command of the manifest does something that a person sees, or says why it cannot; none ends in a fault. */
import * as assert from "node:assert/strict";

import { closeAll, contributed } from "./editor.js";
import { type Tests, until } from "./suite.js";
import { execute, type Watch } from "./watch.js";

/** One test a command. `prepare` brings the editor into the state that `when` names. */
export function commandTests(watch: Watch, when: string, prepare: () => Promise<unknown>): Tests {
  const test = (command: string) => async (): Promise<void> => {
    await prepare();
    watch.clear();
    const opened = watch.seen();
    await execute(command);
    await until(`something to see of ${command}`, () => JSON.stringify(watch.seen()) !== JSON.stringify(opened));
    assert.deepEqual(watch.messages.filter((one) => one.kind === "error"), []);
    await closeAll();
    watch.clear();
  };
  return Object.fromEntries(contributed().map((command) => [`${command}, ${when}`, test(command)]));
}
