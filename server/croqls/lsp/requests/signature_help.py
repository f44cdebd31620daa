"""`textDocument/signatureHelp`."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqls.ide.completion import documentation
from croqls.ide.signature import Signature, signature_help
from croqls.lsp.requests.entry import Entry
from croqls.lsp.requests.place import place_of
from croqls.lsp.server import CroqtileServer


def text_document_signature_help(server: CroqtileServer, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
    place = place_of(server, params)
    found = signature_help(*place) if place is not None else None
    if found is None:
        return None
    by_offset = _knows_offsets(server)
    return lsp.SignatureHelp(
        signatures=[_signature(one, by_offset) for one in found.signatures],
        active_signature=found.active,
        active_parameter=found.parameter,
    )


def _knows_offsets(server: CroqtileServer) -> bool:
    """Whether the client takes places of parameters in the label; else it gets their texts (LSP 3.17)."""
    document = server.client_capabilities.text_document
    offered = document.signature_help if document else None
    known = offered.signature_information if offered else None
    labels = known.parameter_information if known else None
    return bool(labels and labels.label_offset_support)


def _signature(one: Signature, by_offset: bool) -> lsp.SignatureInformation:
    text = documentation(one.about)
    return lsp.SignatureInformation(
        label=one.label,
        documentation=lsp.MarkupContent(kind=lsp.MarkupKind.Markdown, value=text) if text else None,
        parameters=[
            lsp.ParameterInformation(label=(start, end) if by_offset else one.label[start:end])
            for start, end in one.parameters
        ],
    )


ENTRIES = (
    Entry(
        lsp.TEXT_DOCUMENT_SIGNATURE_HELP,
        text_document_signature_help,
        lsp.SignatureHelpOptions(trigger_characters=["(", ",", ">"], retrigger_characters=[","]),
    ),
)
