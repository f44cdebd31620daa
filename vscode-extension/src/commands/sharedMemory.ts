/** Show shared memory: a panel beside the source (views/sharedMemory.ts). */
import type { Command } from "../parts.js";
import { aboutOf, openedDocument } from "../place.js";
import { showSharedMemoryPanel } from "../views/sharedMemory.js";

export const showSharedMemory: Command = {
  id: "croqtile.showSharedMemory",
  async run(parts, ...args) {
    const about = aboutOf(args);
    await parts.server.ready();
    await openedDocument(about.textDocument.uri);
    showSharedMemoryPanel(parts, about);
  },
};
