/** What stands in the panel before the server has made its page. Must not import `vscode`. */
import { type Page, text } from "../page.js";

/** A page of one sentence. It says that it is ready as all do: the panel knows that no flow is there yet. */
export function waitingPage(sentence: string): Page {
  return {
    title: "Credit flow",
    style: "p { padding: 12px; color: var(--vscode-descriptionForeground); }",
    body: `<p role="status">${text(sentence)}</p>`,
  };
}
