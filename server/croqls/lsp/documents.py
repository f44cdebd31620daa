"""The open documents: text, version, settings. Must not compute features.

Edits are applied here and not by the library's workspace, whose lines also end at form feeds and Unicode line
separators; LSP counts LF, CRLF and CR only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from lsprotocol import types as lsp

from croqc.service.check import FileReport
from croqc.service.settings import Settings, SettingsError, project_settings
from croqc.syntax.formatter import Formatted
from croqc.text.diagnostics import Diagnostic
from croqc.text.record import record, replace
from croqc.text.source import Encoding, Source
from croqc.text.span import Span
from croqls.ide.carry import carry
from croqls.ide.inlay_hints import Hint, Hints, inlay_hints
from croqls.ide.lenses import Costs
from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import offset_of
from croqls.lsp.settings import EditorSettings

Change = lsp.TextDocumentContentChangePartial | lsp.TextDocumentContentChangeWholeDocument


def key_of(uri: str) -> str:
    """One key for all spellings of a document's address: `file:///c%3A/…` is `file:///C:/…`."""
    parts = _split(uri)
    if parts is None or parts.scheme != "file":
        return uri
    path = unquote(parts.path)
    if len(path) > 2 and path[2] == ":" and path[1].isalpha():
        path = "/" + path[1].upper() + path[2:]
    return f"file://{parts.netloc}{path}"


def _split(uri: str) -> SplitResult | None:
    """None for what cannot be split, as with a bracket too many: it can be no file, and is a document all the same."""
    try:
        return urlsplit(uri)
    except ValueError:
        return None


def path_of(uri: str) -> Path | None:
    """The file of a `file:` address, None for untitled and virtual documents and for what no file can be called."""
    key = key_of(uri)
    if not key.startswith("file://") or _split(uri) is None or "\0" in key:
        return None
    path = key.removeprefix("file://")
    if not path.startswith("/"):  # `file://server/share/k.co`, a file of another machine
        path = f"//{path}"
    try:
        os.fsencode(path)
    except UnicodeEncodeError:  # half of a surrogate pair
        return None
    return Path(path[1:] if path[2:3] == ":" else path)


def apply_changes(source: Source, changes: Sequence[Change], encoding: Encoding) -> str:
    """The text after the changes of one `didChange`, each made on the result of the one before."""
    for change in changes:
        if isinstance(change, lsp.TextDocumentContentChangePartial):
            start = offset_of(source, change.range.start, encoding)
            end = max(start, offset_of(source, change.range.end, encoding))
            source = Source(source.text[:start] + change.text + source.text[end:])
        else:
            source = Source(change.text)
    return source.text


@record
class Verdicts:
    """The newest flow findings of a document: those of `text`, absolute. `doubted` as in an answer."""

    version: int
    text: str
    found: tuple[Diagnostic, ...]
    doubted: tuple[Diagnostic, ...] = ()


class Documents:
    """Open documents by address. `editor` are the editor's settings, `folders` those of the workspace's folders by key;
    each file's `croq.toml` comes before them."""

    def __init__(self) -> None:
        self._open: dict[str, Snapshot] = {}
        self._verdicts: dict[str, Verdicts] = {}
        self._spellings: dict[str, dict[str, int]] = {}  # the client's version of each address of a document
        self.editor = EditorSettings()
        self.folders: dict[str, EditorSettings] = {}
        self.encoding = Encoding.UTF16
        self.pictures = False
        self.own_patterns = False
        self._hinted: dict[str, Hints] = {}
        self._costs: dict[str, Costs] = {}
        self._formatted: dict[str, Formatted] = {}

    def all(self) -> tuple[Snapshot, ...]:
        return tuple(self._open.values())

    def get(self, uri: str) -> Snapshot | None:
        return self._open.get(key_of(uri))

    def open(self, uri: str, version: int, text: str) -> tuple[Snapshot, str | None]:
        """A new document, and what is wrong with its `croq.toml`, if anything."""
        below, problem = self._below(uri)
        path = path_of(uri)
        self._spellings.setdefault(key_of(uri), {})[uri] = version
        self._open[key_of(uri)] = Snapshot(uri, version, text, str(path or uri), below)
        return self._open[key_of(uri)], problem

    def change(self, uri: str, version: int, changes: Sequence[Change]) -> Snapshot | None:
        old = self.get(uri)
        if old is None:
            return None
        new = old.edited(version, apply_changes(old.source, changes, self.encoding))
        known = self._spellings[key_of(uri)]
        if uri in known:
            known[uri] = version
        self._open[key_of(uri)] = new
        return new

    def spellings(self, snapshot: Snapshot) -> tuple[str, ...]:
        """The addresses under which a client has opened the document."""
        return tuple(self._spellings.get(key_of(snapshot.uri), (snapshot.uri,)))

    def version_of(self, uri: str, snapshot: Snapshot) -> int:
        """What the client calls the newest version of a document under one of its addresses: each counts by itself."""
        return self._spellings.get(key_of(uri), {}).get(uri, snapshot.version)

    def close(self, uri: str) -> bool:
        """Forget one address of a document, and the document with the last one: whether it was that."""
        key = key_of(uri)
        left = self._spellings.get(key, {})
        left.pop(uri, None)
        if not left:
            self._open.pop(key, None)
            self._verdicts.pop(key, None)
            self._spellings.pop(key, None)
            self._hinted.pop(key, None)
            self._costs.pop(key, None)
            self._formatted.pop(key, None)
        return not left

    def judge(
        self, key: str, version: int, found: tuple[Diagnostic, ...], doubted: tuple[Diagnostic, ...] = ()
    ) -> Snapshot | None:
        """Keep the flow findings of a version; the document if it is still at that version, else None."""
        snapshot = self._open.get(key)
        if snapshot is None or snapshot.version != version:
            return None
        self._verdicts[key] = Verdicts(version, snapshot.text, found, doubted)
        return snapshot

    def verdicts(self, snapshot: Snapshot) -> tuple[Diagnostic, ...] | None:
        """The flow findings of a version: its own, else those of the version before, moved; None if there are none."""
        known = self._known_of(snapshot)
        return None if known is None else known.found

    def doubted(self, snapshot: Snapshot) -> tuple[Diagnostic, ...]:
        """As `verdicts`, the findings of the text whose guesses the flow speaks against."""
        known = self._known_of(snapshot)
        return () if known is None else known.doubted

    def _known_of(self, snapshot: Snapshot) -> Verdicts | None:
        known = self._verdicts.get(key_of(snapshot.uri))
        if known is None or (known.version == snapshot.version and known.text == snapshot.text):
            return known
        found, doubted = (carry(items, known.text, snapshot.text) for items in (known.found, known.doubted))
        carried = self._verdicts[key_of(snapshot.uri)] = Verdicts(snapshot.version, snapshot.text, found, doubted)
        return carried

    def report(self, snapshot: Snapshot) -> FileReport:
        """All that is known of a version by now: its report, with the flow findings of `verdicts`."""
        return replace(snapshot.report, flow_found=self.verdicts(snapshot))

    def hints_of(self, snapshot: Snapshot, within: Span) -> tuple[Hint, ...]:
        """The inlay hints of a stretch of a version, of the kinds that are wanted there; where it does not parse, those
        of the version before that did."""
        key = key_of(snapshot.uri)
        known = self._hinted[key] = inlay_hints(snapshot, self._hinted.get(key), within)
        kinds = self.settings_of(snapshot.uri).hints
        return tuple(hint for hint in known.found if within.touches(hint.offset) and hint.kind in kinds)

    def costs_of(self, snapshot: Snapshot) -> Costs:
        """What the lenses of a document cost to make, kept from version to version."""
        return self._costs.setdefault(key_of(snapshot.uri), {})

    def formatted_of(self, snapshot: Snapshot) -> Formatted:
        """What formats the functions of a document, kept from version to version."""
        return self._formatted.setdefault(key_of(snapshot.uri), {})

    def resettle(self) -> list[str]:
        """Take up changed settings in every document; returns what is wrong with project files."""
        problems: list[str] = []
        for key, snapshot in self._open.items():
            below, problem = self._below(snapshot.uri)
            problems += [problem] if problem and problem not in problems else []
            if below != snapshot.below:
                self._open[key] = snapshot.under(below)
        return problems

    def _below(self, uri: str) -> tuple[Settings, str | None]:
        path, editor = path_of(uri), self.settings_of(uri).below
        if path is None:
            return editor, None
        try:
            return project_settings(path).over(editor), None
        except SettingsError as error:
            return editor, str(error)

    def settings_of(self, uri: str) -> EditorSettings:
        """The editor's settings of the innermost folder that holds a document; outside of all, the workspace's."""
        around = self._around(key_of(uri))
        return self.folders[max(around, key=len)] if around else self.editor

    def trusts(self, uri: str) -> bool:
        """Whether neither the workspace nor a folder around a document takes trust away. An inner folder gives back
        none, and nor does another way to the same file: a link, or `..` in its address."""
        path = path_of(uri)
        keys = [key_of(uri), *([_real(path)] if path is not None else [])]
        around = {folder for key in keys for folder in self._around(key)}
        return self.editor.trusted and all(self.folders[folder].trusted for folder in around)

    def _around(self, key: str) -> list[str]:
        """Upper and lower case are the same where the system's files are so."""
        folded = str.casefold if sys.platform in ("win32", "darwin") else str
        return [one for one in self.folders if folded(key).startswith(folded(f"{one.rstrip('/')}/"))]


def _real(path: Path) -> str:
    """The key of a file behind all links; of one that can be none the key of its name."""
    try:
        return key_of(Path(os.path.realpath(path)).as_uri())
    except (OSError, ValueError):
        return key_of(path.as_uri()) if path.is_absolute() else ""
