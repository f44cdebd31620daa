/**
 * What the credit-flow panel knows: which document it is about, what its page was made of and has been told, and what is
 * due next. Must not import `vscode`.
 */
import type { FlowAt, FlowData } from "../../flowTypes.js";
import type { Which } from "../../lsp.js";
import type { Following } from "./following.js";
import type { ToPage } from "./messages.js";

/** The making of a page; only the one that began last counts. */
export interface Loading {
  readonly uri: string;
}

/** What the state has the panel do. */
export interface Doing {
  /** Has the page made; what comes of it is told by `loaded` or `refused`. */
  readonly load: (loading: Loading) => void;
  readonly say: (message: ToPage) => void;
  /** The version of a document in the editor; undefined where it is not open. */
  readonly versionOf: (uri: string) => number | undefined;
  readonly following: Pick<Following, "anew" | "edited" | "moved" | "stop">;
}

export class PanelState {
  private loading: Loading | undefined;
  /** What the server's page was made of; a page that begins anew shows that again. */
  private page: { readonly uri: string; readonly version: number } | undefined;
  /** Data of the document that is not in the page's own text. */
  private newest: { readonly flow: FlowData; readonly version: number; readonly measured: boolean } | undefined;
  /** What the page is to open with the next data; null for the kernel that matters most. */
  private wanted: Which | null | undefined;
  /** The function that was asked for by name: a cursor that stands elsewhere does not lead away from it. */
  private named: Which | undefined;
  /** Server or settings are others than those that the data came from. */
  private stale = false;
  private listens = false;
  private told: string | undefined;

  constructor(
    private about: string,
    private readonly does: Doing,
  ) {}

  /** The document that the panel is about. */
  get uri(): string {
    return this.about;
  }

  /** The document whose flow the page shows: the one before, until the data of another are there. */
  get shown(): string | undefined {
    return this.told;
  }

  /** Whether there is a flow of the document that the panel is about. */
  get isCurrent(): boolean {
    return this.newest !== undefined || this.page?.uri === this.about;
  }

  // --- the page ---

  /** Begins to make the page. What was asked for meanwhile, or measured, is kept for it. */
  load(): void {
    this.loading = { uri: this.about };
    this.does.load(this.loading);
  }

  /** Whether the page that came is to be shown: another one may be under way. */
  loaded(loading: Loading, version: number): boolean {
    if (!this.refused(loading)) {
      return false;
    }
    this.page = { uri: loading.uri, version };
    this.stale = false;
    return true;
  }

  /** Whether the reason is to be shown. */
  refused(loading: Loading): boolean {
    if (loading !== this.loading) {
      return false;
    }
    this.loading = undefined;
    return true;
  }

  /** The panel opens with a page that is there already. */
  opened(version: number, which: Which | null): void {
    this.page = { uri: this.about, version };
    this.want(which);
  }

  /** The page is there and listens: new, or begun anew after it was hidden. */
  ready(): void {
    this.listens = this.page !== undefined;
    this.told = this.page?.uri;
    this.tell();
  }

  /** Its page is gone, and begins anew when it is seen again. */
  hidden(): void {
    this.listens = false;
    this.does.following.stop();
  }

  // --- what is asked for ---

  /** To a document, and a function of it; null for the kernel that matters most. */
  turn(uri: string, which: Which | null): void {
    this.want(which);
    const isOther = uri !== this.about;
    if (isOther) {
      this.about = uri;
      this.newest = undefined;
    }
    if (this.page === undefined) {
      if (isOther || this.loading === undefined) {
        this.load();
      }
    } else if (isOther) {
      this.say({ type: "note", text: "", stale: true });
      this.does.following.anew();
    } else {
      this.tell();
    }
  }

  /** Measured time, of the text of that version. It stays until the next edit. */
  measured(flow: FlowData, version: number, which: Which | null): void {
    this.does.following.stop();
    this.newest = { flow, version, measured: true };
    this.stale = false;
    this.want(which);
    this.tell();
  }

  // --- what happens in the editor ---

  moved(): void {
    if (this.listens) {
      this.named = undefined;
      this.does.following.moved();
    }
  }

  edited(): void {
    if (this.listens) {
      this.say({ type: "note", text: "", stale: true });
      this.does.following.edited();
    }
  }

  /** The document was opened: its text may be another than that on disk. */
  documentOpened(): void {
    if (this.listens) {
      this.does.following.anew();
    }
  }

  /** A server has started, or has other settings. Measured times stay those of the text. */
  unsettled(isVisible: boolean): void {
    if (this.page === undefined) {
      this.load();
    } else if (this.newest?.measured !== true) {
      this.stale = true;
      if (isVisible) {
        this.does.following.anew();
      }
    }
  }

  // --- what the server says ---

  refreshed(flow: FlowData, version: number): void {
    this.newest = { flow, version, measured: false };
    this.stale = false;
    if (this.listens) {
      this.tellFlow(flow);
    }
  }

  at(told: FlowAt): void {
    const { named } = this;
    if (named === undefined || (named.function === told.function && (named.overload ?? told.overload) === told.overload)) {
      this.say({ type: "at", told });
    }
  }

  /** A page that is not there is told all once it is. */
  say(message: ToPage): void {
    if (this.listens) {
      this.does.say(message);
    }
  }

  private want(which: Which | null): void {
    this.wanted = which;
    this.named = which ?? undefined;
  }

  /** What the page does not know yet. */
  private tell(): void {
    if (!this.listens) {
      return;
    }
    if (!this.isCurrent) {
      this.does.following.anew();
      return;
    }
    if (this.newest !== undefined) {
      this.tellFlow(this.newest.flow);
    } else {
      if (this.wanted) {
        this.say({ type: "open", ...this.wanted });
      }
      this.wanted = undefined;
      this.say({ type: "document", uri: this.about });
    }
    this.follow();
  }

  private follow(): void {
    const now = this.does.versionOf(this.about);
    const isOld = now !== undefined && now !== (this.newest ?? this.page)?.version;
    if (this.newest?.measured === true && isOld) {
      this.say({ type: "note", text: "Measured before the last edit: the lines may have moved.", stale: false });
    } else if (isOld || this.stale) {
      this.does.following.anew();
    } else {
      this.does.following.moved();
    }
  }

  private tellFlow(result: FlowData): void {
    const { function: open, ...which } = this.wanted ?? { function: null };
    this.say({ type: "flow", result, ...(this.wanted === undefined ? {} : { open, ...which }) });
    this.wanted = undefined;
    this.told = this.about;
    this.say({ type: "document", uri: this.about });
  }
}
