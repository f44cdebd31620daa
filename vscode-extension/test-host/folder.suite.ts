/** A folder and a file whose names need escaping in addresses (`a b (é) #1 %41 +/k 1.co`), with a Python of its own. */
import * as assert from "node:assert/strict";
import * as vscode from "vscode";

import { closeAll, contributed, extension, hover, open, placeOf, replaceAll, rules, servers, untilRules, untilServed } from "./editor.js";
import { suite, until } from "./suite.js";
import { execute, Watch } from "./watch.js";

const watch = new Watch();
/** The course's kernel lacks its bootstrap on disk; these are its findings then and with it. */
const NOTES = ["assumed-divisible", "dialect-note", "dynamic-shared-memory"];
const BROKEN = ["assumed-divisible", "credit-deadlock", "dialect-note", "dynamic-shared-memory"];

function kernel(): Promise<vscode.TextDocument> {
  return open("k 1.co");
}

function theError(document: vscode.TextDocument): vscode.Diagnostic {
  const errors = vscode.languages.getDiagnostics(document.uri).filter((one) => one.severity === vscode.DiagnosticSeverity.Error);
  assert.equal(errors.length, 1);
  return errors[0]!;
}

/** Waits for findings of a rule in a document; none of its findings stands there twice. */
async function untilFound(document: vscode.TextDocument, rule: string): Promise<void> {
  await until(rule, () => rules(document.uri).includes(rule));
  const all = vscode.languages.getDiagnostics(document.uri).map((one) => JSON.stringify(one));
  assert.equal(new Set(all).size, all.length);
}

/** The documents that are made of a source, as far as they are seen. */
function besides(): vscode.TextDocument[] {
  const seen = vscode.window.visibleTextEditors.map((editor) => editor.document);
  return seen.filter((one) => one.uri.scheme === "croqtile-generated");
}

export const run = suite({
  "activating twice is fine": async () => {
    await Promise.all([extension().activate(), extension().activate()]);
    await extension().activate();
    await until("one server", () => servers().length === 1);
    assert.deepEqual(watch.messages, []);
  },

  "findings follow the text": async () => {
    const document = await kernel();
    await untilRules(document.uri, BROKEN);
    const error = theError(document);
    assert.equal(document.getText(error.range), "empty[stage]".slice(0, document.getText(error.range).length));
    assert.equal(error.range.start.line, placeOf(document, "wait empty").line);
    await replaceAll(document, document.getText().replace("wait empty[stage];", ""));
    await until("another story", () => !vscode.languages.getDiagnostics(document.uri).some((one) => one.message === error.message));
    await execute("undo");
    await untilRules(document.uri, BROKEN);
    await closeAll();
  },

  "a closed file has no findings": async () => {
    const { uri } = await kernel();
    await untilRules(uri, BROKEN);
    await closeAll();
    await untilRules(uri, []);
  },

  "the hover tells of credits": async () => {
    const document = await kernel();
    await untilServed(document);
    const said = await hover(document.uri, placeOf(document, "full[stage]"));
    assert.match(said, /full: shared event\[2\]/);
    assert.match(said, /Credit flow fails: 1 finding/);
    assert.ok(said.includes("/a%20b%20%28%C3%A9%29%20%231%20%2541%20%2B/k%201.co#L"), said);
  },

  "lenses lead to commands of the extension": async () => {
    const document = await kernel();
    await untilServed(document);
    const lenses = await execute<vscode.CodeLens[]>("vscode.executeCodeLensProvider", document.uri, 50);
    assert.ok(lenses.length >= 5, `${lenses.length} lenses`);
    const known = contributed();
    const lost = lenses.map((lens) => lens.command?.command).filter((name) => name !== undefined && name !== "" && !known.includes(name));
    assert.deepEqual(lost, []);
    assert.ok(lenses.every((lens) => lens.range.start.line === placeOf(document, "__co__").line));
  },

  "a quick fix mends the kernel": async () => {
    const document = await kernel();
    await untilRules(document.uri, BROKEN);
    const actions = await execute<vscode.CodeAction[]>("vscode.executeCodeActionProvider", document.uri, theError(document).range, "quickfix");
    const fix = actions.find((action) => action.title === "Give 'empty' its credits at start");
    assert.ok(fix?.edit, `${actions.map((action) => action.title)}`);
    assert.ok(await vscode.workspace.applyEdit(fix.edit));
    await untilRules(document.uri, NOTES);
    assert.match(document.getText(), /foreach \{s\} in \[MATMUL_STAGES\] \{\n {10}trigger empty\[s\];\n {8}\}/);
    await closeAll();
  },

  "go to and rename stay in the one document": async () => {
    const document = await kernel();
    await untilServed(document);
    const use = placeOf(document, "empty[stage]");
    const targets = await execute<(vscode.Location | vscode.LocationLink)[]>("vscode.executeDefinitionProvider", document.uri, use);
    const uris = targets.map((target) => ("targetUri" in target ? target.targetUri : target.uri).toString());
    assert.deepEqual(uris, [document.uri.toString()]);
    const edit = await execute<vscode.WorkspaceEdit>("vscode.executeDocumentRenameProvider", document.uri, use, "credits");
    assert.deepEqual(edit.entries().map(([uri]) => uri.toString()), [document.uri.toString()]);
    assert.equal(edit.entries()[0]![1].length, 3);
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.equal(vscode.window.visibleTextEditors.length, 1);
    assert.match(document.getText(), /wait credits\[stage\];[^]*trigger credits\[stage\];/);
    await untilRules(document.uri, BROKEN);
    await closeAll();
  },

  "an untitled document is checked like a file": async () => {
    const text = (await kernel()).getText();
    await closeAll();
    const document = await vscode.workspace.openTextDocument({ language: "croqtile", content: text });
    await vscode.window.showTextDocument(document);
    assert.equal(document.uri.scheme, "untitled");
    await untilFound(document, "credit-deadlock");
    assert.match(await hover(document.uri, placeOf(document, "full[stage]")), /shared event/);
    await closeAll();
  },

  "the version that git shows does no harm": async () => {
    const document = await kernel();
    await untilRules(document.uri, BROKEN);
    const text = document.getText();
    const shelf = vscode.workspace.registerTextDocumentContentProvider("git", { provideTextDocumentContent: () => text });
    const old = vscode.Uri.from({ scheme: "git", path: document.uri.path, query: JSON.stringify({ path: document.uri.fsPath, ref: "HEAD" }) });
    await execute("vscode.diff", old, document.uri, "k 1.co");
    await until("both sides", () => vscode.window.visibleTextEditors.length === 2);
    assert.equal((await vscode.workspace.openTextDocument(old)).languageId, "croqtile");
    await untilServed(document);
    await untilRules(document.uri, BROKEN);
    assert.deepEqual(vscode.languages.getDiagnostics(old), []);
    assert.equal(servers().length, 1);
    await closeAll();
    shelf.dispose();
  },

  "what a macro becomes stands beside its use, and follows the edits": async () => {
    const document = await kernel();
    await untilServed(document);
    const use = placeOf(document, "MATMUL_STAGES]");
    vscode.window.activeTextEditor!.selection = new vscode.Selection(use, use);
    await execute("croqtile.expandMacro");
    const beside = await until("an expansion", () => besides().find((one) => one.uri.path === "/MATMUL_STAGES.expanded"));
    assert.equal(beside.languageId, "croqtile-expansion");
    assert.equal(beside.getText(), `// line ${use.line + 1}:\n// MATMUL_STAGES\n// becomes\n\n2\n`);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), "// one line more\n");
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until("its new line", () => beside.getText().startsWith(`// line ${use.line + 2}:\n`));
    await closeAll();
  },

  "the syntax tree stands beside the source": async () => {
    const document = await kernel();
    await untilServed(document);
    await execute("croqtile.showSyntaxTree");
    const tree = await until("a tree", () => besides().find((one) => one.uri.path === "/k 1.ast"));
    assert.match(tree.getText(), /^function matmul at \d+:1\n  Function/);
    assert.deepEqual(watch.messages, []);
    await closeAll();
  },

  "settings are followed live": async () => {
    const document = await kernel();
    await untilRules(document.uri, BROKEN);
    const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("croqtile", document.uri);
    await settings().update("dialect", "current", vscode.ConfigurationTarget.WorkspaceFolder);
    await untilFound(document, "older-form");
    await settings().update("dialect", undefined, vscode.ConfigurationTarget.WorkspaceFolder);
    await untilRules(document.uri, BROKEN);
    assert.deepEqual(watch.messages, []);
  },

  "an unknown setting is named, once": async () => {
    const root = vscode.workspace.workspaceFolders![0]!.uri;
    const file = vscode.Uri.joinPath(root, ".vscode", "settings.json");
    await vscode.workspace.fs.writeFile(file, Buffer.from('{"croqtile.archh": "sm_80"}'));
    await until("a warning", () => watch.messages.length > 0);
    assert.deepEqual(watch.messages.map((one) => one.text), ["unknown setting 'croqtile.archh'; did you mean 'arch'?"]);
    await vscode.workspace.fs.delete(file);
    watch.clear();
    await closeAll();
  },

  "restart leaves one server and says so": async () => {
    const document = await kernel();
    await untilRules(document.uri, BROKEN);
    const [before] = servers();
    await execute("croqtile.restartServer");
    await until("a message", () => watch.messages.length > 0);
    assert.deepEqual(watch.messages.map((one) => one.kind), ["information"]);
    assert.match(watch.messages[0]!.text, /^Croqtile: server started, Python 3\.\d+\.\d+ \(.*a b \(é\) #1 %41 \+.*\), croqtile-tools \d/);
    await untilRules(document.uri, BROKEN);
    await until("one server", () => servers().length === 1 && servers()[0] !== before);
    watch.clear();
    await closeAll();
  },
});
