/** Migrate a file to another dialect. The server makes the edit and says what stays. */
import * as vscode from "vscode";

import type { Command } from "../parts.js";
import { aboutOf, openedDocument } from "../place.js";
import { dialectsOf, keptPage, migratedOf, migrationSaid } from "../rules.js";
import { showPage } from "../views/textPages.js";

const SHOW = "Show What Stays";

export const migrate: Command = {
  id: "croqtile.migrate",
  async run({ server }, ...args) {
    const { uri } = aboutOf(args).textDocument;
    await server.ready();
    const document = await openedDocument(uri);
    const dialects = dialectsOf(await server.execute("croqtile.migrate"));
    const items = dialects.map(({ name, summary }) => ({ label: name, detail: summary }));
    const picked = await vscode.window.showQuickPick(items, { placeHolder: "Dialect to move the file to", matchOnDetail: true });
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
