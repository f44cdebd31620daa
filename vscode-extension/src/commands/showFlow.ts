/** Shows the credit flow of a function in its panel. */
import type { Command } from "../parts.js";
import { aboutOf } from "../place.js";
import { showFlowPanel } from "../views/flow/panel.js";

export const showFlow: Command = {
  id: "croqtile.showFlow",
  run: (parts, ...args) => showFlowPanel(parts, aboutOf(args)),
};
