/**
 * Stands in for the person at the editor: keeps what the extension shows and asks, and answers as told.
 *
 * The suites lie beside the extension, so that both have one `vscode` between them. Make a Watch before the extension is
 * active: the output channel that it makes then is watched too.
 */
import * as vscode from "vscode";

export interface Shown {
  readonly kind: "information" | "warning" | "error";
  readonly text: string;
  readonly buttons: readonly string[];
}

type Patched = Record<string, (...args: never[]) => unknown>;
/** `window`, `env` and `commands` are plain objects in tests, and may be patched. */
const WINDOW = vscode.window as unknown as Patched;
const ENV = vscode.env as unknown as Patched;
const COMMANDS = vscode.commands as unknown as Patched;
const MESSAGES = {
  showInformationMessage: "information",
  showWarningMessage: "warning",
  showErrorMessage: "error",
} as const;
const QUESTIONS = ["showQuickPick", "showInputBox", "showOpenDialog", "showSaveDialog", "showWorkspaceFolderPick"];

/** What a test calls without being watched itself. */
export const execute = vscode.commands.executeCommand.bind(vscode.commands);

export class Watch {
  readonly messages: Shown[] = [];
  /** Everything else that a person would have seen, in a word or two. */
  readonly others: string[] = [];
  /** What was copied last. */
  clipboard = "";
  /** The button to press on a message, by its text. */
  answer: (message: Shown) => string | undefined = () => undefined;

  constructor() {
    for (const [name, kind] of Object.entries(MESSAGES)) {
      WINDOW[name] = (text: string, ...rest: unknown[]) => Promise.resolve(this.message(kind, text, rest));
    }
    for (const name of QUESTIONS) {
      WINDOW[name] = () => Promise.resolve(void this.others.push(name));
    }
    this.follow(WINDOW, "createQuickPick", (pick) => setTimeout(() => (pick as vscode.QuickPick<never>).hide(), 100));
    this.follow(WINDOW, "createTerminal");
    this.follow(WINDOW, "setStatusBarMessage");
    this.follow(WINDOW, "createWebviewPanel");
    this.follow(COMMANDS, "executeCommand");
    const clipboard: vscode.Clipboard = {
      readText: () => Promise.resolve(this.clipboard),
      writeText: (text) => Promise.resolve(void (this.clipboard = text)),
    };
    Object.defineProperty(vscode.env, "clipboard", { value: clipboard });
    ENV["openExternal"] = () => Promise.resolve(this.others.push("openExternal") > 0);
    const channel = vscode.window.createOutputChannel as unknown as (...args: unknown[]) => vscode.OutputChannel;
    WINDOW["createOutputChannel"] = (...args: unknown[]) => {
      const made = channel(...args);
      return Object.create(made, { show: { value: () => void this.others.push("output") } }) as vscode.OutputChannel;
    };
  }

  /** Forgets what was seen. */
  clear(): void {
    this.messages.length = 0;
    this.others.length = 0;
  }

  /** All that was seen, and what is open, in words. */
  seen(): string[] {
    return [...this.messages.map((one) => `${one.kind}: ${one.text}`), ...this.others, ...tabs()];
  }

  private message(kind: Shown["kind"], text: string, rest: readonly unknown[]): unknown {
    const items = rest.filter((item) => typeof item === "string" || (typeof item === "object" && item !== null && "title" in item));
    const title = (item: unknown): string => (typeof item === "string" ? item : (item as vscode.MessageItem).title);
    const shown = { kind, text, buttons: items.map(title) };
    this.messages.push(shown);
    const chosen = this.answer(shown);
    return items.find((item) => title(item) === chosen);
  }

  private follow(owner: Patched, name: string, then: (made: unknown) => void = () => undefined): void {
    const original = owner[name]!.bind(owner) as (...args: unknown[]) => unknown;
    owner[name] = (...args: unknown[]) => {
      this.others.push(typeof args[0] === "string" ? `${name} ${args[0]}` : name);
      const made = original(...args);
      then(made);
      return made;
    };
  }
}

/** The open tabs, each with its group. */
export function tabs(): string[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => `tab ${group.viewColumn}: ${tab.label}`));
}
