"""One version of one document with everything that is known of it, computed when first asked for.

An edit makes a new snapshot; nothing is invalidated. Must not know LSP types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from croqc.service.check import FileReport, FunctionReport, check_glance, check_text
from croqc.service.safe_trials import with_tried_fixes
from croqc.service.settings import NO_SETTINGS, Settings
from croqc.syntax.glance import go_on
from croqc.syntax.tokens import Token
from croqc.text.record import replace
from croqc.text.source import Source
from croqc.text.span import Span

_MOST_LINES = 50_000
_MOST_CHARACTERS = 1 << 23


@dataclass(frozen=True)
class Snapshot:
    """A document's text under settings. `below` are project and editor settings; directives overrule them.

    `previous` is the report of the version before: unchanged functions are taken from it.
    """

    uri: str
    version: int
    text: str
    path: str = "<text>"
    below: Settings = NO_SETTINGS
    previous: FileReport | None = field(default=None, compare=False, repr=False)

    @property
    def limited(self) -> bool:
        """Whether the text is too long to be read while one types; then nothing is known of it but its lines."""
        return bool(self.excess)

    @cached_property
    def excess(self) -> str:
        """What the text has too much of to be read, in words; empty where it is read."""
        if len(self.text) > _MOST_CHARACTERS:
            return f"over {_MOST_CHARACTERS / 1e6:.0f} million characters"
        ends = self.text.count("\n") + self.text.count("\r") - self.text.count("\r\n")
        return f"over {_MOST_LINES:,} lines" if ends > _MOST_LINES else ""

    @cached_property
    def report(self) -> FileReport:
        if self.limited:
            return replace(check_text("", path=self.path), source=Source(self.text, self.path), found=())
        return self.read()

    @property
    def is_read(self) -> bool:
        """Whether its report is known, all of it."""
        return "report" in self.__dict__ and not self.is_lent

    @property
    def is_lent(self) -> bool:
        """Whether its report is that of a glance."""
        return "_lent" in self.__dict__

    def read(self, last: FileReport | None = None, between: Callable[[], None] = go_on) -> FileReport:
        """A report, which is not kept; `last` is a newer one of the document than that of the version before. `between`
        is called before each function."""
        return check_text(self.text, below=self.below, path=self.path, previous=last or self.previous, between=between)

    def glance(self, place: Span | None) -> FileReport:
        """What is known at once of a version that is being read, and is not kept: functions written as in the version
        before are taken for what they were, but those at `place`. Needs a version before that was read."""
        last = self.__dict__.get("report", self.previous)
        assert last is not None
        return check_glance(self.text, place, last)

    def keep(self, report: FileReport, lent: bool = False) -> None:
        """What `read`, or for now `glance`, has made is the version's report from now on."""
        for stale in ("_lent", "tried"):
            self.__dict__.pop(stale, None)
        self.__dict__["report"] = report  # where the cached property keeps it
        if lent:
            self.__dict__["_lent"] = True

    @cached_property
    def tried(self) -> FileReport:
        """The same with its safe fixes tried out: asked for with the fixes, never while a person types."""
        return with_tried_fixes(self.report)

    @property
    def source(self) -> Source:
        """The text with its lines, which may be asked for before it is read."""
        return self.report.source if self.is_read else self._source

    @cached_property
    def _source(self) -> Source:
        return Source(self.text, self.path)

    def edited(self, version: int, text: str) -> Snapshot:
        """The next version of the document. A version that was never looked at passes its own base on."""
        known = self.__dict__.get("report", self.previous)
        return Snapshot(self.uri, version, text, self.path, self.below, known)

    def reported(self, report: FileReport) -> Snapshot:
        """The same version, of which this report is known."""
        snapshot = Snapshot(self.uri, self.version, self.text, self.path, self.below)
        snapshot.keep(report)
        return snapshot

    def addressed(self, uri: str, version: int) -> Snapshot:
        """The same version under another address, by the number that it has there."""
        if (uri, version) == (self.uri, self.version):
            return self
        snapshot = Snapshot(uri, version, self.text, self.path, self.below, self.previous)
        if self.is_read:
            snapshot.keep(self.report)
        return snapshot

    def under(self, below: Settings) -> Snapshot:
        """The same text under other settings; nothing is carried over."""
        return Snapshot(self.uri, self.version, self.text, self.path, below)

    def function_at(self, offset: int) -> FunctionReport | None:
        """The function whose text an absolute offset touches."""
        for report in self.report.functions:
            if report.base <= offset <= report.base + len(report.parsed.source.text):
                return report
        return None


def token_at(function: FunctionReport, offset: int) -> Token | None:
    """The written token that an absolute offset touches; of two that meet there, the one that starts there."""
    place = offset - function.base
    touching = [t for t in function.parsed.source.tokens if t.macro is None and t.start <= place <= t.end]
    return touching[-1] if touching else None


def is_warpgroup(token: Token, after: Token) -> bool:
    """Whether two tokens are the ends of `group-4`, one word of three tokens; `after` is the second one behind."""
    return token.text == "group" and after.text == "4" and after.end == token.end + 2
