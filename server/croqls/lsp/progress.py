"""Work-done progress (LSP 3.17, `$/progress`): every begin has its end. Must not know what is done."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from croqls.workers.orders import News

if TYPE_CHECKING:
    from croqls.lsp.server import CroqtileServer

Token = int | str
_PATIENCE = 2.0  # seconds for the client to make room; work does not wait longer for it


@asynccontextmanager
async def progress(
    server: CroqtileServer,
    title: str,
    token: Token | None = None,
    on_cancel: Callable[[], None] | None = None,
) -> AsyncIterator[Callable[[News], None]]:
    """Shows a title while the body runs; what it is given is shown beside it. `token`: one that the client has made.

    Without one it is asked for, where the client can; where it cannot nothing is shown.
    """
    token = token if token is not None else await _made(server)
    if token is None:
        yield lambda _: None
        return
    shown = server.work_done_progress
    begin = lsp.WorkDoneProgressBegin(title=title, cancellable=on_cancel is not None)
    shown.begin(token, begin)
    if on_cancel is not None:
        shown.tokens[token].add_done_callback(lambda future: on_cancel() if future.cancelled() else None)

    def report(news: News) -> None:
        share = 100 * news.done // news.total if news.total else None
        text = f"{news.message} {news.done} of {news.total}" if news.total else news.message
        shown.report(token, lsp.WorkDoneProgressReport(message=text, percentage=share))

    try:
        yield report
    finally:
        shown.tokens.pop(token, None)
        shown.end(token, lsp.WorkDoneProgressEnd())


async def _made(server: CroqtileServer) -> Token | None:
    window = server.client_capabilities.window
    if not (window and window.work_done_progress):
        return None
    token = str(uuid.uuid4())
    try:
        await asyncio.wait_for(server.work_done_progress.create_async(token), _PATIENCE)
    except (TimeoutError, JsonRpcException):
        return None
    return token
