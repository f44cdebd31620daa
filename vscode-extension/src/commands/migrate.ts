/** Migrate a file to another dialect. The server makes the edit and says what stays. */
import * as vscode from "vscode";

import type { Command } from "../parts.js";
import { aboutOf, openedDocument } from "../place.js";
import { keptPage, migratedOf, migrationSaid } from "../rules.js";
import { showPage } from "../views/textPages.js";

const DIALECTS = [
  { label: "current", detail: "What the current compiler takes: '= ready' on events, '.at(order)', operands in shared memory" },
  { label: "course", detail: "The form that the course teaches: bootstraps, slots by hand" },
] as const;
const SHOW = "Show What Stays";

export const migrate: Command = {
  id: "croqtile.migrate",
  async run({ server }, ...args) {
    const { uri } = aboutOf(args).textDocument;
    await server.ready();
    const document = await openedDocument(uri);
    const picked = await vscode.window.showQuickPick(DIALECTS, { placeHolder: "Dialect to move the file to", matchOnDetail: true });
    if (picked === undefined) {
      return;
    }
    const to = picked.label;
    const options = { location: vscode.ProgressLocation.Window, title: `Croqtile: moving to the ${to} dialect` };
    const done = migratedOf(await vscode.window.withProgress(options, () => server.execute("croqtile.migrate", uri, { to })));
    const file = vscode.workspace.asRelativePath(document.uri);
    const buttons = done.kept.length > 0 ? [SHOW] : [];
    void vscode.window.showInformationMessage(`Croqtile: ${migrationSaid(done, file)}`, ...buttons).then(async (choice) => {
      if (choice === SHOW) {
        await showPage("What stays", keptPage(done, file, to));
      }
    });
  },
};
