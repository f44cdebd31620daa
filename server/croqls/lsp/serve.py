"""The life of the server: what it can do is the table of requests; each stands in a file of its own."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from contextlib import suppress
from functools import partial

from pygls.exceptions import JsonRpcException, JsonRpcInternalError

from croqc.service.memory import keep_loaded
from croqls.lsp.commands import COMMANDS
from croqls.lsp.protocol import CroqtileProtocol
from croqls.lsp.publish import publish_verdicts, push_read
from croqls.lsp.refresh import refresh_lenses
from croqls.lsp.requests import TABLE
from croqls.lsp.server import CroqtileServer
from croqls.lsp.transport import LAST_SECOND, Output, listen


def make_server() -> CroqtileServer:
    """A server with every request of the table registered."""
    server = CroqtileServer()
    server.flow.on_answer = partial(publish_verdicts, server)
    server.reading.on_read = partial(push_read, server)
    server.layouts.on_found = partial(refresh_lenses, server)
    protocol = server.protocol
    assert isinstance(protocol, CroqtileProtocol)
    protocol.before = server.reading.before
    for entry in TABLE:
        server.feature(entry.method, entry.options)(partial(entry.handler, server))
    for name, command in COMMANDS.items():
        server.command(name)(partial(command, server))
    return server


def _is_news(record: logging.LogRecord) -> bool:
    """What a request is refused for is told to the client, who asked; the log is for what fails in the tools."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, JsonRpcException) or isinstance(error, JsonRpcInternalError)


def _leave_the_folder() -> None:
    """The folder that an editor starts the server in may be deleted, of which no process can be started any more: the
    root of the file system stays. What is imported later is looked for where it was."""
    with suppress(OSError):  # it is gone already
        sys.path[:] = [os.path.abspath(path) for path in sys.path]
    os.chdir(os.sep)


def serve() -> None:
    """Serve on standard input and output until the client ends it; log to standard error.

    The exit status is 1 where the end comes without `shutdown` (LSP 3.17, `exit`).
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_news)
    if sys.stdin is None or sys.stdout is None:
        sys.exit("croqls: it talks to an editor over standard input and output, and one of them is closed")
    _leave_the_folder()
    server = make_server()
    keep_loaded()
    protocol = server.protocol
    assert isinstance(protocol, CroqtileProtocol)
    protocol.set_writer(Output(sys.stdout.buffer))
    with suppress(KeyboardInterrupt, SystemExit):  # `exit` is one
        asyncio.run(listen(protocol, sys.stdin.buffer))
    server.stop_processes()
    server.runs.written(LAST_SECOND)
    logging.shutdown()
    os._exit(0 if protocol.ended_in_order else 1)  # the interpreter would wait for threads first
