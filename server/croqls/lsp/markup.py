"""Documentation in the form that a client shows (LSP 3.17, `contentFormat`, `documentationFormat`).

Must not know requests.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as lsp

from croqls.ide.plain_text import plain_text


def markup(markdown: str, formats: Sequence[lsp.MarkupKind] | None) -> lsp.MarkupContent:
    """As Markdown, or as plain text where that is not among the client's formats; None: it says nothing of itself."""
    if formats is not None and lsp.MarkupKind.Markdown not in formats:
        return lsp.MarkupContent(kind=lsp.MarkupKind.PlainText, value=plain_text(markdown))
    return lsp.MarkupContent(kind=lsp.MarkupKind.Markdown, value=markdown)


def documentation(markdown: str, formats: Sequence[lsp.MarkupKind] | None) -> lsp.MarkupContent | str:
    """As `markup`; a bare text, which is plain by definition, for a client that names no formats at all."""
    return markup(markdown, formats) if formats else plain_text(markdown)
