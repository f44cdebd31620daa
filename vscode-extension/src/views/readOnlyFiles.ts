/**
 * Texts as files that nobody can write: of all documents that are on no disk, the editor brings back only those of a file
 * system when a window is loaded anew. Must not make the texts.
 */
import * as vscode from "vscode";

/** `made` is when, in milliseconds of the epoch: the editor reads again only what is of another time. */
export interface FileText {
  readonly text: string;
  readonly made: number;
}

export class ReadOnlyFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private readonly registered: vscode.Disposable;

  readonly onDidChangeFile = this.changed.event;

  /** `textOf` waits for a text that is not made yet; undefined where there is none. */
  constructor(
    scheme: string,
    private readonly textOf: (uri: vscode.Uri) => Promise<FileText | undefined>,
  ) {
    this.registered = vscode.workspace.registerFileSystemProvider(scheme, this, { isCaseSensitive: true, isReadonly: true });
  }

  /** Has the editor read a file again where it shows it. */
  renew(uri: vscode.Uri): void {
    this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  dispose(): void {
    vscode.Disposable.from(this.registered, this.changed).dispose();
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, made } = await this.read(uri);
    return { type: vscode.FileType.File, ctime: made, mtime: made, size: bytes.length, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.read(uri)).bytes;
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // `renew` tells of all
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  private async read(uri: vscode.Uri): Promise<{ readonly bytes: Uint8Array; readonly made: number }> {
    const found = await this.textOf(uri);
    if (found === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return { bytes: new TextEncoder().encode(found.text), made: found.made };
  }
}
