"""`textDocument/completion` and `completionItem/resolve`: documentation is made for the item that is looked at."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as lsp

from croqls.ide.completion import completion, documentation
from croqls.ide.items import Item, ItemKind
from croqls.ide.patterns import filled
from croqls.ide.snapshot import Snapshot
from croqls.lsp import markup
from croqls.lsp.convert import range_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.requests.place import place_of
from croqls.lsp.server import CroqtileServer

# Behind these a word is due. Editors do not ask by themselves inside comments.
_TRIGGERS = (" ", ":", ",", "=", ".", "[", "(", "<")
_KINDS = {
    ItemKind.KEYWORD: lsp.CompletionItemKind.Keyword,
    ItemKind.OPERATION: lsp.CompletionItemKind.Operator,
    ItemKind.MEMBER: lsp.CompletionItemKind.Method,
    ItemKind.TYPE: lsp.CompletionItemKind.TypeParameter,
    ItemKind.FUNCTION: lsp.CompletionItemKind.Function,
    ItemKind.VARIABLE: lsp.CompletionItemKind.Variable,
    ItemKind.EVENT: lsp.CompletionItemKind.Event,
    ItemKind.CONSTANT: lsp.CompletionItemKind.Constant,
    ItemKind.MACRO: lsp.CompletionItemKind.Constant,
    ItemKind.PATTERN: lsp.CompletionItemKind.Snippet,
}


def text_document_completion(server: CroqtileServer, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    place = place_of(server, params)
    if place is None:
        return []
    asked_by = params.context.trigger_character if params.context else None
    found = completion(*place, asked_by or "")
    if server.documents.own_patterns:
        found = tuple(item for item in found if not (item.pattern and item.current))
    return [_item(server, place.snapshot, item, number) for number, item in enumerate(found)]


def completion_item_resolve(server: CroqtileServer, item: lsp.CompletionItem) -> lsp.CompletionItem:
    """The same item with what there is to read about its word."""
    data: Any = item.data
    about = data.get("about") if isinstance(data, dict) else None
    if isinstance(about, str) and (text := documentation(about)):
        item.documentation = _documentation(server, text)
    return item


def _known(server: CroqtileServer) -> lsp.ClientCompletionItemOptions | None:
    document = server.client_capabilities.text_document
    offered = document.completion if document else None
    return offered.completion_item if offered else None


def _documentation(server: CroqtileServer, text: str) -> lsp.MarkupContent | str:
    known = _known(server)
    return markup.documentation(text, known.documentation_format if known else None)


def _item(server: CroqtileServer, snapshot: Snapshot, item: Item, number: int) -> lsp.CompletionItem:
    place = range_of(snapshot.source, item.span, server.documents.encoding)
    text, format_ = item.label, None
    if item.pattern:
        text, format_ = _pattern(server, item)
    return lsp.CompletionItem(
        label=item.label,
        kind=_KINDS[item.kind],
        detail=item.detail or None,
        documentation=_documentation(server, item.markdown) if item.markdown else None,
        sort_text=f"{number:04}",
        insert_text_format=format_,
        text_edit=lsp.TextEdit(place, text),
        data={"about": item.about} if item.about else None,
    )


def _pattern(server: CroqtileServer, item: Item) -> tuple[str, lsp.InsertTextFormat]:
    """With place-holders where the client knows them, else filled with their defaults."""
    known = _known(server)
    if known is not None and known.snippet_support:
        return item.pattern, lsp.InsertTextFormat.Snippet
    return filled(item.pattern), lsp.InsertTextFormat.PlainText


ENTRIES = (
    Entry(
        lsp.TEXT_DOCUMENT_COMPLETION,
        text_document_completion,
        lsp.CompletionOptions(trigger_characters=list(_TRIGGERS), resolve_provider=True),
    ),
    Entry(lsp.COMPLETION_ITEM_RESOLVE, completion_item_resolve),
)
