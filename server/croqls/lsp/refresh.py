"""Tells the client to ask again, where it can be told. Must not decide when."""

from __future__ import annotations

from croqls.lsp.server import CroqtileServer


def refresh_hints(server: CroqtileServer) -> None:
    """`workspace/inlayHint/refresh` (LSP 3.17)."""
    workspace = server.client_capabilities.workspace
    known = workspace.inlay_hint if workspace else None
    if known and known.refresh_support:
        server.workspace_inlay_hint_refresh(None)


def refresh_shown(server: CroqtileServer) -> None:
    """All that an editor asks for by itself and shows until it asks again: hints, semantic tokens, lenses."""
    refresh_hints(server)
    workspace = server.client_capabilities.workspace
    tokens = workspace.semantic_tokens if workspace else None
    if tokens and tokens.refresh_support:
        server.workspace_semantic_tokens_refresh(None)
    refresh_lenses(server)


def refresh_lenses(server: CroqtileServer) -> None:
    """They say what came of a run, and what is found of a text at rest: `workspace/codeLens/refresh`, where the client
    knows it."""
    workspace = server.client_capabilities.workspace
    if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
        server.workspace_code_lens_refresh(None)
