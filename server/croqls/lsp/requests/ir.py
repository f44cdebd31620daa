"""`croqtile/ir`: what a stage of the compiler made of a document, as `croq dump` (docs/protocol.md)."""

from __future__ import annotations

from croqls.lsp.asking import about_document
from croqls.lsp.requests.entry import Entry

ir = about_document("ir", {"after": str})

ENTRIES = (Entry("croqtile/ir", ir),)
