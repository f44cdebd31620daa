/**
 * What is made of a source as a document: its address, its text, and which lines go with which. Must not import `vscode`.
 */
import { calledIn, isPosition, type Position, type Range } from "./lsp.js";
import type { Expansion, Form, Generated, Ir } from "./requests.js";

export const SCHEME = "croqtile-generated";

/** Generated code, a stage of the compiler, or what the use of a macro becomes. */
export type Kind = Form | "ast" | "ir" | "expansion";

/** What a generated document is made of: the address of a source, one function in it or all, and the form. */
export interface Subject {
  readonly source: string;
  readonly entry?: string;
  /** Which of the functions of that name. */
  readonly overload?: number;
  readonly form: Kind;
  /** The stage of the compiler, or the macro. */
  readonly part?: string;
  /** Where the macro was used in this version of the source. */
  readonly at?: Position;
  readonly version?: number;
}

interface FormFacts {
  readonly title: string;
  readonly ending: string;
}

export const FORMS: Readonly<Record<Kind, FormFacts>> = {
  cuda: { title: "CUDA", ending: "cu" },
  ptx: { title: "PTX", ending: "ptx" },
  sass: { title: "SASS", ending: "sass" },
  ast: { title: "syntax tree", ending: "ast" },
  ir: { title: "pipeline IR", ending: "ir" },
  expansion: { title: "expansion", ending: "expanded" },
};

/** Path and query of the address; the end of the path is what the tab says. */
export function addressOf(subject: Subject): { readonly path: string; readonly query: string } {
  const file = decoded(subject.source.split("/").at(-1) ?? "").replace(/^untitled:/, "").replace(/\.co$/, "");
  const whole = calledIn(subject) ?? file;
  const name = subject.form === "ir" ? `${whole || "kernel"}.${subject.part ?? ""}` : subject.form === "expansion" ? subject.part : whole;
  return { path: `/${name || "kernel"}.${FORMS[subject.form].ending}`, query: JSON.stringify(subject) };
}

/** Without escapes, where they are ones. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The way back from the query of an address; undefined for one that was not made here. */
export function subjectOf(query: string): Subject | undefined {
  try {
    const { source, entry, overload, form, part, at, version } = JSON.parse(query) as Partial<Record<string, unknown>>;
    if (typeof source !== "string" || typeof form !== "string" || !Object.hasOwn(FORMS, form)) {
      return undefined;
    }
    return {
      source,
      form: form as Kind,
      ...(typeof entry === "string" ? { entry } : {}),
      ...(typeof overload === "number" ? { overload } : {}),
      ...(typeof part === "string" ? { part } : {}),
      ...(isPosition(at) ? { at } : {}),
      ...(typeof version === "number" ? { version } : {}),
    };
  } catch {
    return undefined;
  }
}

/** A text as it is shown. The maps are empty for one that is not of the present source. */
export interface Shown {
  readonly text: string;
  /** The line from which on the text is the one before, where it is. */
  readonly staleFrom?: number;
  /** From a generated line to the statement that it stands for. */
  readonly statements: ReadonlyMap<number, Range>;
  /** From a line of the source on which statements begin to the lines that stand for them. */
  readonly lines: ReadonlyMap<number, readonly number[]>;
}

/** The answer of the server; what is in the way stands in the text, above what was there before. */
export function shown(answer: Generated, form: Kind, before?: Shown): Shown {
  const { code, sources } = answer;
  const reasons = code.diagnostics.map((one) => `line ${one.range.start.line + 1}: ${one.message}`);
  if (code.text === "") {
    return refused(reasons.length > 0 ? reasons : ["there is no kernel in it"], form, before);
  }
  const head = reasons.map((reason) => `// note, ${reason}\n`).join("");
  const shift = reasons.length;
  return {
    text: head + code.text,
    statements: new Map(code.lines.map((one) => [one.line + shift, one.range])),
    lines: new Map(sources.map((one) => [one.line, one.lines.map((line) => line + shift)])),
  };
}

/** A stage as generated code is: what is in its way stands in its text. */
export function stage({ text, lines, sources }: Ir): Generated {
  return { code: { text, lines, diagnostics: [] }, sources };
}

/** What the use of a macro becomes, below the use itself; all of it goes with that. */
export function expanded({ use, range, text }: Expansion): Shown {
  const head = [`line ${range.start.line + 1}:`, ...use.split(/\r\n|\r|\n/)].map((line) => `// ${line.trimStart()}`);
  const body = text === "" ? ["// becomes nothing"] : ["// becomes", "", ...text.split("\n")];
  const first = head.length + 2;
  const own = text === "" ? [] : Array.from({ length: body.length - 2 }, (_, i) => first + i);
  return {
    text: `${[...head, ...body].join("\n")}\n`,
    statements: new Map(own.map((line) => [line, range])),
    lines: new Map(own.length > 0 ? [[range.start.line, own]] : []),
  };
}

const STALE = "// What follows is of the text before.\n\n";

/** A text that says why there is none, above the last one that there was. */
export function refused(reasons: readonly string[], form: Kind, before?: Shown): Shown {
  const said = reasons.flatMap((reason) => reason.split("\n")).map((reason) => `//   ${reason}\n`);
  const old = before === undefined ? "" : before.text.slice(afterHead(before.text));
  const head = `// No ${FORMS[form].title} for the source as it stands:\n${said.join("")}`;
  const maps = { statements: new Map(), lines: new Map() };
  return old === "" ? { text: head, ...maps } : { text: `${head}${STALE}${old}`, staleFrom: said.length + 3, ...maps };
}

/** Where the code begins in a text that opens with a refusal, else 0; all of a refusal without code. */
function afterHead(text: string): number {
  if (!text.startsWith("// No ")) {
    return 0;
  }
  const at = text.indexOf(STALE);
  return at < 0 ? text.length : at + STALE.length;
}

/** A statement with a body is told by its first line alone. */
const LONGEST_STATEMENT = 4;

/** The generated lines for a line of the source: those of what begins there, else of the statement around it. */
export function generatedLines(of: Shown, line: number): readonly number[] {
  const own = of.lines.get(line);
  if (own !== undefined) {
    return own;
  }
  let nearest: Range | undefined;
  for (const range of of.statements.values()) {
    if (range.start.line <= line && line <= range.end.line && range.end.line - range.start.line < LONGEST_STATEMENT) {
      nearest = nearest === undefined || range.start.line > nearest.start.line ? range : nearest;
    }
  }
  return nearest === undefined ? [] : (of.lines.get(nearest.start.line) ?? []);
}

/** The lines of the source for a generated line. */
export function sourceLines(of: Shown, line: number): readonly number[] {
  const range = of.statements.get(line);
  if (range === undefined) {
    return [];
  }
  const { start, end } = range;
  const count = end.line - start.line < LONGEST_STATEMENT ? end.line - start.line + 1 : 1;
  return Array.from({ length: count }, (_, i) => start.line + i);
}

/** Neighbouring lines as ranges of first and last, in order. */
export function runs(lines: readonly number[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const line of [...new Set(lines)].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && line === last[1] + 1) {
      last[1] = line;
    } else {
      found.push([line, line]);
    }
  }
  return found;
}
