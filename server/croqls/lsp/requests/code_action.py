"""`textDocument/codeAction`: fixes of diagnostics, `source.fixAll`, and refactorings. Must not compute them.

Answers are made from the present snapshot, whatever version the client asked about, and their edits carry its
version, so that a client drops what no longer fits. What costs more to edit than to offer comes without its edit to a
client that can resolve it (`code_action_resolve`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from croqc.service.check import FileReport
from croqc.service.fix import choose_edits, lines_of
from croqc.text.diagnostics import Diagnostic, Fix
from croqc.text.edits import Edit
from croqc.text.record import record, replace
from croqc.text.source import Source
from croqc.text.span import Span
from croqls.assists.kinds import MIGRATE, REWRITE
from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import diagnostic, offset_of
from croqls.lsp.requests.code_action_resolve import due, resolves_edits
from croqls.lsp.requests.entry import Entry
from croqls.lsp.workspace_edit import workspace_edit

if TYPE_CHECKING:
    from croqls.lsp.server import CroqtileServer

FIX_ALL = lsp.CodeActionKind.SourceFixAll.value
QUICK_FIX = lsp.CodeActionKind.QuickFix.value
KINDS = (QUICK_FIX, REWRITE, FIX_ALL, MIGRATE)


async def text_document_code_action(server: CroqtileServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return []
    encoding = server.documents.encoding

    def span_of(place: lsp.Range) -> Span:
        start, end = (offset_of(snapshot.source, one, encoding) for one in (place.start, place.end))
        return Span(start, max(start, end))

    moved_cursor = params.context.trigger_kind == lsp.CodeActionTriggerKind.Automatic
    verdicts, doubted = server.documents.verdicts(snapshot), server.documents.doubted(snapshot)
    told = frozenset((one.code, span_of(one.range)) for one in params.context.diagnostics)
    only = _kinds(params.context.only)
    later = resolves_edits(server)
    wanted = _Wanted(snapshot, verdicts, doubted, span_of(params.range), told, only, moved_cursor, later)
    found = await asyncio.to_thread(wanted.actions)
    uri = params.text_document.uri
    if server.documents.get(uri) is not snapshot:
        return []  # of a text that is gone by now
    return [_action(server, snapshot, uri, one) for one in found]


def _kinds(only: Iterable[lsp.CodeActionKind | str] | None) -> tuple[str, ...] | None:
    return None if only is None else tuple(str(getattr(kind, "value", kind)) for kind in only)


@record
class _Offered:
    """An action in our own terms: `mends` is the diagnostic of a quick fix, `preferred` the best one for it; with
    `to` the edits are still to be made, as of `Assist`."""

    title: str
    kind: str
    edits: tuple[Edit, ...]
    mends: Diagnostic | None = None
    preferred: bool = False
    to: str = ""


@record
class _Wanted:
    """What is asked about one snapshot. Worked out in a thread, since fixes and refactorings are tried out: no types of
    the protocol are made here (`late_types`).

    `doubted`: findings with a guess that the flow speaks against. `told`: the diagnostics that the client speaks of, by
    rule and place; of some clients those of the cursor's whole line. `only`: the kinds that the client asked for, or
    everything. `quick`: asked for wherever the cursor goes, without a person's wish; refactorings are left out then.
    `later`: the client can wait for edits.
    """

    snapshot: Snapshot
    verdicts: tuple[Diagnostic, ...] | None
    doubted: tuple[Diagnostic, ...]
    span: Span
    told: frozenset[tuple[object, Span]]
    only: tuple[str, ...] | None
    quick: bool
    later: bool

    def wants(self, kind: str) -> bool:
        """A kind is wanted with all its sub-kinds; without a list `source` actions are left out (LSP 3.17)."""
        if self.only is None:
            return kind == QUICK_FIX or not (self.quick or kind == FIX_ALL)
        return any(kind == wanted or kind.startswith(f"{wanted}.") for wanted in self.only)

    def actions(self) -> list[_Offered]:
        return [*self._fixes(), *self._rewrites(), *self._all_fixes()]

    def _report(self) -> FileReport:
        """With its fixes tried out; of a glance none were, for which all of the text would be read."""
        from croqc.service.judged_fixes import without_guesses  # here: the verifier is not needed at the start

        known = self.snapshot.report if self.snapshot.is_lent else without_guesses(self.snapshot.tried, self.doubted)
        return replace(known, flow_found=self.verdicts)

    def _fixes(self) -> Iterator[_Offered]:
        """Those of each diagnostic here; the first safe one is preferred, those of the file come last."""
        from croqls.assists.targets import settings_for  # here: others are not needed at the start

        for item in self._report().diagnostics if self.wants(QUICK_FIX) else ():
            inside = item.span.start <= self.span.end and self.span.start <= item.span.end
            if inside or (item.code, item.span) in self.told:
                preferred = None if self.snapshot.is_lent else next((fix for fix in item.fixes if fix.safe), None)
                for fix in item.fixes:
                    title = title_of(self.snapshot.source, fix)
                    yield _Offered(title, fix.kind, fix.edits, item, fix is preferred)
                for title, edit in () if self.snapshot.is_lent else settings_for(self.snapshot, item):
                    yield _Offered(title, QUICK_FIX, (edit,), item)

    def _rewrites(self) -> Iterator[_Offered]:
        from croqls.assists.offers import assists, migrations  # here: rewrites are not needed at the start

        if self.wants(REWRITE):
            offers = assists(self.snapshot, self.span.start, self.later)
        else:
            offers = tuple(migrations(self.snapshot, self.later)) if self.wants(MIGRATE) else ()
        for offer in offers:
            if self.wants(offer.kind):
                yield _Offered(offer.title, offer.kind, offer.edits, to=offer.to)

    def _all_fixes(self) -> Iterator[_Offered]:
        if self.wants(FIX_ALL):
            edits, count = choose_edits(self._report(), None, unsafe=False)
            if count:
                yield _Offered("Apply all safe fixes", FIX_ALL, tuple(edits))


def _action(server: CroqtileServer, snapshot: Snapshot, uri: str, offered: _Offered) -> lsp.CodeAction:
    if offered.to:
        return lsp.CodeAction(title=offered.title, kind=offered.kind, data=due(server, snapshot, uri, offered.to))
    action = lsp.CodeAction(
        title=offered.title, kind=offered.kind, edit=workspace_edit(server, snapshot, uri, offered.edits)
    )
    if offered.mends is not None:
        shown = diagnostic(snapshot.source, offered.mends, uri, server.documents.encoding)
        action.diagnostics, action.is_preferred = [shown], offered.preferred or None
    return action


def title_of(source: Source, fix: Fix) -> str:
    """The fix's title; with the number of lines where they are several, of which the editor shows one."""
    lines = lines_of(source, fix.edits)
    return f"{fix.title} ({lines} lines)" if lines > 1 else fix.title


ENTRIES = (
    Entry(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        text_document_code_action,
        lsp.CodeActionOptions(code_action_kinds=list(KINDS)),
    ),
)
