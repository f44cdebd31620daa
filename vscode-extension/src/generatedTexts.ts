/**
 * Generated texts by their addresses: each is made once, and again when what it was made of has changed. Must not import
 * `vscode`: the editor is handed in.
 */
import type { Shown, Subject } from "./generatedText.js";
import { Later } from "./later.js";

/** The compiler is asked less often than the printer of CUDA. */
const DELAY_MS = { cuda: 300, ptx: 900, sass: 900, ast: 300, ir: 300, expansion: 300 } as const;

/** `made` is when, in milliseconds of the epoch: no two texts of an address are of the same time. */
export interface Made {
  readonly shown: Shown;
  readonly text: string;
  readonly made: number;
}

export interface Editor {
  /** Must not throw. Calls `begun` when it asks for the text: what changed before is in it. */
  make(subject: Subject, before: Shown | undefined, begun: () => void): Promise<Shown>;
  /** Whether a document of this address is open. */
  isOpen(key: string): boolean;
  isSeen(key: string): boolean;
  /** Has the editor read the text of an address again. */
  renewed(key: string): void;
}

interface Entry {
  readonly subject: Subject;
  /** How often that of which the text is made has changed. */
  changes: number;
  /** Whether it changed while nobody saw the text. */
  stale: boolean;
  /** The text that is made for the first time. */
  first?: Promise<Made>;
  /** Undefined until then. */
  made?: Made;
}

export class GeneratedTexts {
  private readonly entries = new Map<string, Entry>();
  private readonly later = new Later<string>((key) => this.renew(key));

  constructor(private readonly editor: Editor) {}

  /** What is shown at an address, where it is shown. */
  at(key: string): Shown | undefined {
    return this.entries.get(key)?.made?.shown;
  }

  /** The editor asks for time and text of a file one after the other: it is made once. */
  async textOf(key: string, subject: Subject): Promise<Made> {
    const known = this.entries.get(key);
    const entry: Entry = known ?? { subject, changes: 0, stale: false };
    this.entries.set(key, entry);
    return entry.made ?? (entry.first ??= this.begin(entry));
  }

  /** Makes anew, after a while, what is made of these; what nobody sees when it is seen. */
  changed(about: (subject: Subject) => boolean): void {
    for (const [key, entry] of this.entries) {
      if (!about(entry.subject)) {
        continue;
      }
      entry.changes += 1;
      if (entry.made === undefined) {
        continue; // `begin` counts the changes
      }
      if (this.editor.isSeen(key)) {
        this.later.ask(key, DELAY_MS[entry.subject.form]);
      } else if (this.editor.isOpen(key)) {
        entry.stale = true;
      } else {
        this.forget(key); // its tab was closed while the text was made: the editor tells of no such end
      }
    }
  }

  /** To be called when other texts are seen. */
  catchUp(): void {
    for (const [key, entry] of this.entries) {
      if (entry.stale && this.editor.isSeen(key)) {
        entry.stale = false;
        this.later.ask(key, 0);
      }
    }
  }

  /** To be called for each document that opens: a change between its text and its opening has the text forgotten. */
  opened(key: string): void {
    if (!this.entries.has(key)) {
      this.editor.renewed(key);
    }
  }

  forget(key: string): void {
    this.later.forget(key);
    this.entries.delete(key);
  }

  dispose(): void {
    this.later.dispose();
  }

  private async begin(entry: Entry): Promise<Made> {
    const { shown, current } = await this.make(entry);
    entry.stale = !current; // it is made again as soon as it is seen
    return keep(entry, shown);
  }

  private async renew(key: string): Promise<void> {
    const entry = this.entries.get(key);
    if (entry === undefined) {
      return;
    }
    const { shown, current } = await this.make(entry);
    // Of an older text: the change since has asked for another one.
    if (current && this.entries.get(key) === entry) {
      keep(entry, shown);
      this.editor.renewed(key);
    }
  }

  private async make(entry: Entry): Promise<{ readonly shown: Shown; readonly current: boolean }> {
    let of = entry.changes;
    const shown = await this.editor.make(entry.subject, entry.made?.shown, () => (of = entry.changes));
    return { shown, current: of === entry.changes };
  }
}

function keep(entry: Entry, shown: Shown): Made {
  const made = { shown, text: shown.text, made: Math.max(Date.now(), (entry.made?.made ?? 0) + 1) };
  entry.made = made;
  return made;
}
