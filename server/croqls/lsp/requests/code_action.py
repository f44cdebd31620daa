"""`textDocument/codeAction`: fixes of diagnostics, `source.fixAll`, and refactorings. Must not compute them.

Answers are made from the present snapshot, whatever version the client asked about, and their edits carry its
version, so that a client drops what no longer fits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from croqc.service.fix import choose_edits, lines_of
from croqc.service.judged_fixes import without_guesses
from croqc.text.diagnostics import Diagnostic, Fix
from croqc.text.edits import Edit
from croqc.text.record import replace
from croqc.text.source import Source
from croqc.text.span import Span
from croqls.assists.kinds import MIGRATE, REWRITE
from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import diagnostic, offset_of, range_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.workspace_edit import workspace_edit

if TYPE_CHECKING:
    from croqls.lsp.server import CroqtileServer

FIX_ALL = lsp.CodeActionKind.SourceFixAll.value
QUICK_FIX = lsp.CodeActionKind.QuickFix.value
KINDS = (QUICK_FIX, REWRITE, FIX_ALL, MIGRATE)


def text_document_code_action(server: CroqtileServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return []
    moved_cursor = params.context.trigger_kind == lsp.CodeActionTriggerKind.Automatic
    answer = _Answer(server, snapshot, params.context.only, moved_cursor)
    encoding = server.documents.encoding
    start = offset_of(snapshot.source, params.range.start, encoding)
    end = max(start, offset_of(snapshot.source, params.range.end, encoding))
    return list(answer.actions(Span(start, end), params.context.diagnostics))


class _Answer:
    """What is answered about one snapshot. `only`: the kinds that the client asked for, or everything.

    `quick`: asked for wherever the cursor goes, without a person's wish. Refactorings are tried out before they are
    offered, which is too slow for that; fixes are at hand.
    """

    def __init__(self, server: CroqtileServer, snapshot: Snapshot, only: Iterable[str] | None, quick: bool) -> None:
        self.server, self.snapshot, self.quick = server, snapshot, quick
        tried = without_guesses(snapshot.tried, server.documents.doubted(snapshot))
        self.report = replace(tried, flow_found=server.documents.verdicts(snapshot))
        self.only = None if only is None else tuple(str(getattr(kind, "value", kind)) for kind in only)

    def wants(self, kind: str) -> bool:
        """A kind is wanted with all its sub-kinds; without a list `source` actions are left out (LSP 3.17)."""
        if self.only is None:
            return kind == QUICK_FIX or not (self.quick or kind == FIX_ALL)
        return any(kind == wanted or kind.startswith(f"{wanted}.") for wanted in self.only)

    def actions(self, span: Span, told: Collection[lsp.Diagnostic]) -> Iterator[lsp.CodeAction]:
        """`told`: the diagnostics that the client speaks of; of some clients those of the cursor's whole line."""
        if self.wants(QUICK_FIX):
            for item in self.report.diagnostics:
                inside = item.span.start <= span.end and span.start <= item.span.end
                if item.fixes and (inside or self.is_told(item, told)):
                    yield from self.fixes(item)
        if self.wants(REWRITE):
            from croqls.assists.offers import assists  # here, and below: rewrites are not needed at the start

            for offer in assists(self.snapshot, span.start):
                if self.wants(offer.kind):
                    yield self.action(offer.title, offer.kind, offer.edits)
        elif self.wants(MIGRATE):
            from croqls.assists.offers import migrations

            for offer in migrations(self.snapshot):
                yield self.action(offer.title, offer.kind, offer.edits)
        if self.wants(FIX_ALL):
            edits, count = choose_edits(self.report, None, unsafe=False)
            if count:
                yield self.action("Apply all safe fixes", FIX_ALL, edits)

    def is_told(self, item: Diagnostic, told: Collection[lsp.Diagnostic]) -> bool:
        alike = [one.range for one in told if one.code == item.code]
        return bool(alike) and range_of(self.snapshot.source, item.span, self.server.documents.encoding) in alike

    def fixes(self, item: Diagnostic) -> Iterator[lsp.CodeAction]:
        """The fixes of a diagnostic; the first safe one is preferred."""
        preferred = next((fix for fix in item.fixes if fix.safe), None)
        for fix in item.fixes:
            action = self.action(title_of(self.snapshot.source, fix), fix.kind, fix.edits)
            action.is_preferred = fix is preferred or None
            shown = diagnostic(self.snapshot.source, item, self.snapshot.uri, self.server.documents.encoding)
            action.diagnostics = [shown]
            yield action

    def action(self, title: str, kind: str, edits: Iterable[Edit]) -> lsp.CodeAction:
        return lsp.CodeAction(title=title, kind=kind, edit=workspace_edit(self.server, self.snapshot, edits))


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
