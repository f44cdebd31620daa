/** Doctor: what this machine has for kernels on a card, in a panel with a button for each way out. */
import * as vscode from "vscode";

import { askDoctor } from "../machine.js";
import type { Command, Parts } from "../parts.js";
import { reasonOf, Refusal } from "../refusal.js";
import type { Doctor } from "../requests.js";
import { show } from "../state.js";
import { warn } from "../tell.js";
import { demandTrust } from "../trust.js";
import { commandOf, doctorPage } from "../views/doctorPage.js";
import { html } from "../views/page.js";
import { chooseEnvironment } from "./chooseEnvironment.js";

let panel: vscode.WebviewPanel | undefined;
let heard: vscode.Disposable | undefined;

export const doctor: Command = { id: "croqtile.doctor", run: examine };

async function examine(parts: Parts): Promise<void> {
  const options = { location: vscode.ProgressLocation.Notification, title: "Croqtile: looking at this machine", cancellable: true };
  const report = await vscode.window.withProgress(options, (_, token) => askDoctor(parts.server, token));
  if (panel === undefined) {
    panel = vscode.window.createWebviewPanel("croqtile.doctor", "Croqtile Doctor", vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => {
      heard?.dispose();
      heard = panel = undefined;
    });
  } else {
    panel.reveal();
  }
  fill(panel, parts, report);
}

function fill(at: vscode.WebviewPanel, parts: Parts, report: Doctor): void {
  heard?.dispose();
  heard = at.webview.onDidReceiveMessage(async (said: unknown) => {
    try {
      await carryOut(parts, commandOf(report, said));
    } catch (error) {
      await warn(reasonOf(error), error instanceof Refusal ? error.way : undefined);
    }
  });
  at.webview.html = html(doctorPage(report, show(parts.server.state).detail));
}

async function carryOut(parts: Parts, wish: ReturnType<typeof commandOf>): Promise<void> {
  switch (wish?.wish) {
    case "copy":
      await vscode.env.clipboard.writeText(wish.command);
      vscode.window.setStatusBarMessage("Croqtile: command copied", 2000);
      break;
    case "run":
      runInTerminal(wish.command);
      break;
    case "again":
      await examine(parts);
      break;
    case "environment":
      await chooseEnvironment.run(parts);
      break;
    case undefined:
      break;
  }
}

/** The text was seen on the page, and its button pressed. In a terminal of its own: in another one a program may be running. */
function runInTerminal(command: string): void {
  demandTrust();
  const terminal = vscode.window.createTerminal("Croqtile");
  terminal.show();
  terminal.sendText(command, true);
}
