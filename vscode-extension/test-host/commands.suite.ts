/** The commands in a folder with a server: with a kernel in front, and with nothing in front. */
import { commandTests } from "./commands.js";
import { closeAll, extension, open, untilServed } from "./editor.js";
import { suite } from "./suite.js";
import { Watch } from "./watch.js";

const watch = new Watch();

export const run = suite({
  ...commandTests(watch, "a kernel in front", async () => {
    await extension().activate();
    await untilServed(await open("add.co"));
  }),
  ...commandTests(watch, "nothing in front", closeAll),
});
