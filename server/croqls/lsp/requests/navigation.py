"""`textDocument/definition`, `declaration`, `typeDefinition`, `references`: places of the same document."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types as lsp

from croqc.text.span import Span
from croqls.ide.navigation import declarations_at, definitions_at, references_at, type_definitions_at
from croqls.lsp.convert import range_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.requests.place import Place, Positioned, place_of
from croqls.lsp.server import CroqtileServer


def definition(server: CroqtileServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
    place = place_of(server, params)
    return [] if place is None else _locations(server, place, params, definitions_at(*place))


def declaration(server: CroqtileServer, params: lsp.DeclarationParams) -> list[lsp.Location]:
    place = place_of(server, params)
    return [] if place is None else _locations(server, place, params, declarations_at(*place))


def type_definition(server: CroqtileServer, params: lsp.TypeDefinitionParams) -> list[lsp.Location]:
    place = place_of(server, params)
    return [] if place is None else _locations(server, place, params, type_definitions_at(*place))


def references(server: CroqtileServer, params: lsp.ReferenceParams) -> list[lsp.Location]:
    place = place_of(server, params)
    if place is None:
        return []
    return _locations(server, place, params, references_at(*place, params.context.include_declaration))


def _locations(server: CroqtileServer, place: Place, asked: Positioned, spans: Iterable[Span]) -> list[lsp.Location]:
    """Under the address that the client asked about, which is not the document's only one."""
    source, encoding = place.snapshot.source, server.documents.encoding
    return [lsp.Location(uri=asked.text_document.uri, range=range_of(source, span, encoding)) for span in spans]


ENTRIES = (
    Entry(lsp.TEXT_DOCUMENT_DEFINITION, definition),
    Entry(lsp.TEXT_DOCUMENT_DECLARATION, declaration),
    Entry(lsp.TEXT_DOCUMENT_TYPE_DEFINITION, type_definition),
    Entry(lsp.TEXT_DOCUMENT_REFERENCES, references),
)
