"""`croqtile/sharedMemory`: how a document's kernels use shared memory (docs/protocol.md)."""

from __future__ import annotations

from croqls.lsp.asking import COMMON, about_document
from croqls.lsp.requests.entry import Entry

shared_memory = about_document("sharedMemory", COMMON)

ENTRIES = (Entry("croqtile/sharedMemory", shared_memory),)
