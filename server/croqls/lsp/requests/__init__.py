"""The table of requests: one file each. Must not hold handlers."""

from __future__ import annotations

from croqls.lsp.requests import (
    call_hierarchy,
    code_action,
    code_lens,
    completion,
    configuration,
    document_highlight,
    document_symbol,
    hover,
    inlay_hint,
    lifecycle,
    navigation,
    rename,
    semantic_tokens,
    signature_help,
    synchronization,
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
    *navigation.ENTRIES,
    *document_highlight.ENTRIES,
    *rename.ENTRIES,
    *call_hierarchy.ENTRIES,
    *signature_help.ENTRIES,
    *inlay_hint.ENTRIES,
    *code_lens.ENTRIES,
)
