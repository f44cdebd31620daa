"""The table of requests: one file each. Must not hold handlers."""

from __future__ import annotations

from croqls.lsp.requests import (
    code_action,
    completion,
    configuration,
    document_link,
    document_symbol,
    folding_range,
    formatting,
    hover,
    lifecycle,
    selection_range,
    semantic_tokens,
    synchronization,
    workspace_symbol,
)
from croqls.lsp.requests.entry import Entry

TABLE: tuple[Entry, ...] = (
    *lifecycle.ENTRIES,
    *configuration.ENTRIES,
    *synchronization.ENTRIES,
    *hover.ENTRIES,
    *completion.ENTRIES,
    *document_symbol.ENTRIES,
    *code_action.ENTRIES,
    *semantic_tokens.ENTRIES,
    *folding_range.ENTRIES,
    *selection_range.ENTRIES,
    *document_link.ENTRIES,
    *workspace_symbol.ENTRIES,
    *formatting.ENTRIES,
)
