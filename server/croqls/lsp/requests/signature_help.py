"""`textDocument/signatureHelp`."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqls.ide.completion import documentation
from croqls.ide.signature import Signature, signature_help
from croqls.lsp import markup
from croqls.lsp.requests.entry import Entry
from croqls.lsp.requests.place import place_of
from croqls.lsp.server import CroqtileServer


def text_document_signature_help(server: CroqtileServer, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
    place = place_of(server, params)
    found = signature_help(*place) if place is not None else None
    if found is None:
        return None
    known = _known(server)
    return lsp.SignatureHelp(
        signatures=[_signature(one, known, found.parameter) for one in found.signatures],
        active_signature=found.active,
        active_parameter=found.parameter,
    )


def _known(server: CroqtileServer) -> lsp.ClientSignatureInformationOptions | None:
    document = server.client_capabilities.text_document
    offered = document.signature_help if document else None
    return offered.signature_information if offered else None


def _signature(
    one: Signature, known: lsp.ClientSignatureInformationOptions | None, parameter: int
) -> lsp.SignatureInformation:
    """Parameters are places in the label where the client takes those, else their texts (LSP 3.17). The library writes
    down that there is no active parameter, which means something, where it is left out."""
    text = documentation(one.about)
    labels = known.parameter_information if known else None
    by_offset = bool(labels and labels.label_offset_support)
    return lsp.SignatureInformation(
        label=one.label,
        documentation=markup.documentation(text, known.documentation_format if known else None) if text else None,
        parameters=[
            lsp.ParameterInformation(label=(start, end) if by_offset else one.label[start:end])
            for start, end in one.parameters
        ],
        active_parameter=min(parameter, max(len(one.parameters) - 1, 0)),
    )


ENTRIES = (
    Entry(
        lsp.TEXT_DOCUMENT_SIGNATURE_HELP,
        text_document_signature_help,
        lsp.SignatureHelpOptions(trigger_characters=["(", ",", ">"], retrigger_characters=[","]),
    ),
)
