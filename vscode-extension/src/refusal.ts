/** What cannot be done, in words for the user. Must not import `vscode`. */

/** A button: its title and the command behind it. */
export interface Way {
  readonly title: string;
  readonly command: string;
  readonly args?: readonly unknown[];
}

/** What a command cannot do, in words for the user, shown as they are; `way` is the button beside them. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly way?: Way,
  ) {
    super(message);
  }
}

/** The words of whatever was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
