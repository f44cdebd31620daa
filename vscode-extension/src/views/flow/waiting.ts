/** What stands in the panel before the server has made its page. Must not import `vscode`. */

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A page of one sentence, without scripts; `nonce` lets its style through its own policy. */
export function waitingPage(text: string, nonce: string): string {
  const safe = text.replace(/[&<>"]/g, (found) => ESCAPES[found] ?? found);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>Credit flow</title>
<style nonce="${nonce}">p { padding: 12px; color: var(--vscode-descriptionForeground); font: 13px/1.5 var(--vscode-font-family); }</style>
</head>
<body><p role="status">${safe}</p></body>
</html>
`;
}
