"""`croqtile/flow`: the credit flow of a document's kernels, as `croq flow --json` (docs/protocol.md)."""

from __future__ import annotations

from croqls.lsp.asking import COMMON, about_document
from croqls.lsp.requests.entry import Entry

flow = about_document("flow", COMMON)

ENTRIES = (Entry("croqtile/flow", flow),)
