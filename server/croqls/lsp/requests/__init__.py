"""The table of requests: one file each. Must not hold handlers."""

from __future__ import annotations

from croqls.lsp.requests import (
    code_action,
    completion,
    configuration,
    doctor,
    document_link,
    document_symbol,
    flow,
    flow_at,
    folding_range,
    formatting,
    generated,
    hover,
    ir,
    lifecycle,
    run,
    run_cancel,
    run_history,
    selection_range,
    semantic_tokens,
    shared_memory,
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
    *flow.ENTRIES,
    *flow_at.ENTRIES,
    *generated.ENTRIES,
    *shared_memory.ENTRIES,
    *ir.ENTRIES,
    *doctor.ENTRIES,
    *run.ENTRIES,
    *run_cancel.ENTRIES,
    *run_history.ENTRIES,
)
