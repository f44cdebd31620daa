/** Explain a rule: that of the finding at the cursor, else one of the list. The server has the pages. */
import * as vscode from "vscode";

import type { Command } from "../parts.js";
import { LANGUAGE } from "../place.js";
import { Refusal } from "../refusal.js";
import { inFront, isRule, pageOf, type RuleRow, rulesOf } from "../rules.js";
import { showPage } from "../views/textPages.js";

export const explain: Command = {
  id: "croqtile.explain",
  async run({ server }, name) {
    const rule = typeof name === "string" ? name : await choose(async () => rulesOf(await server.execute("croqtile.explain")));
    if (rule === undefined) {
      return;
    }
    const page = pageOf(await server.execute("croqtile.explain", rule));
    if (typeof page === "string") {
      throw new Refusal(page);
    }
    await showPage(page.rule, page.text);
  },
};

/** The only rule at the cursor, or what is picked. */
async function choose(list: () => Promise<readonly RuleRow[]>): Promise<string | undefined> {
  const here = codesHere();
  if (here.length === 1) {
    return here[0];
  }
  const rules = inFront(await list(), here);
  const items = rules.map(({ name, severity, summary }) => ({
    label: name,
    description: here.includes(name) ? `${severity}, at the cursor` : severity,
    detail: summary,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder: "Rule to explain", matchOnDetail: true }))?.label;
}

function codesHere(): readonly string[] {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== LANGUAGE) {
    return [];
  }
  const found = vscode.languages
    .getDiagnostics(editor.document.uri)
    .filter((one) => one.range.contains(editor.selection.active))
    .map(({ code }) => (typeof code === "object" ? String(code.value) : String(code ?? "")));
  return [...new Set(found)].filter(isRule);
}
