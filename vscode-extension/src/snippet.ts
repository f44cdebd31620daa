/** Snippets as plain text. Must not import `vscode`. */

/** The text of a snippet with every place-holder at its default: `${1:name}` and its repetitions `$1`, `$0` empty. */
export function plainText(body: readonly string[]): string {
  const whole = body.join("\n");
  const defaults = new Map([...whole.matchAll(/\$\{(\d+):([^}]*)\}/g)].map(([, number, value]) => [number, value]));
  return whole.replace(/\$\{(\d+):[^}]*\}|\$(\d+)/g, (_, first?: string, second?: string) => defaults.get(first ?? second) ?? "");
}
