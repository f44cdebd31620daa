/** TextMate grammars, run by VS Code's own engine. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import oniguruma from "vscode-oniguruma";
import textmate, { type IGrammar } from "vscode-textmate";

const require = createRequire(import.meta.url);
await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer as ArrayBuffer);

/** The grammar of a scope; `texts` are the grammars that there are, as JSON, by scope. */
export async function grammarOf(scope: string, texts: Readonly<Record<string, string>>): Promise<IGrammar> {
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: (wanted) => {
      const text = texts[wanted];
      return Promise.resolve(text === undefined ? null : textmate.parseRawGrammar(text, `${wanted}.json`));
    },
  });
  const grammar = await registry.loadGrammar(scope);
  if (grammar === null) {
    throw new Error(`no grammar of ${scope}`);
  }
  return grammar;
}

/** Pairs of text and innermost scope, blanks left out. */
export function scopesOf(grammar: IGrammar, text: string): [string, string][] {
  const found: [string, string][] = [];
  let stack = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    for (const token of result.tokens) {
      const part = line.slice(token.startIndex, token.endIndex).trim();
      if (part !== "") {
        found.push([part, token.scopes.at(-1) ?? ""]);
      }
    }
  }
  return found;
}
