"""`textDocument/completion`: inside `// croq: …` comments."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqls.ide.directives import Item, directive_items
from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import offset_of, range_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

# Behind these a word is due. Editors do not ask by themselves inside comments.
_TRIGGERS = (" ", ":", ",", "=")


def text_document_completion(server: CroqtileServer, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return []
    found = directive_items(snapshot, offset_of(snapshot.source, params.position, server.documents.encoding))
    return [_item(server, snapshot, item, number) for number, item in enumerate(found)]


def _item(server: CroqtileServer, snapshot: Snapshot, item: Item, number: int) -> lsp.CompletionItem:
    place = range_of(snapshot.source, item.span, server.documents.encoding)
    markup = lsp.MarkupContent(kind=lsp.MarkupKind.Markdown, value=item.markdown) if item.markdown else None
    return lsp.CompletionItem(
        label=item.label,
        kind=lsp.CompletionItemKind.Keyword,
        detail=item.detail,
        documentation=markup,
        sort_text=f"{number:04}",
        text_edit=lsp.TextEdit(place, item.label),
    )


ENTRIES = (
    Entry(
        lsp.TEXT_DOCUMENT_COMPLETION,
        text_document_completion,
        lsp.CompletionOptions(trigger_characters=list(_TRIGGERS)),
    ),
)
