/** The commands about the server itself. Must not tell of a server that is not there (views/tidings.ts does). */
import type { Command } from "../parts.js";
import { show } from "../state.js";
import { inform } from "../tell.js";

export const restartServer: Command = {
  id: "croqtile.restartServer",
  async run({ server }) {
    const state = await server.restart("asked");
    if (state.kind === "running") {
      void inform(`server started, ${show(state).detail}`);
    }
  },
};

export const showOutput: Command = { id: "croqtile.showOutput", run: ({ output }) => output.show() };
