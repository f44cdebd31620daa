"""Messages from standard input, read and parsed beside the loop, and to standard output (LSP 3.17, base protocol). Must
not know what they say, but for the last one.

The library's own reader knows one spelling of the header, loses what it cannot read, and shows that to the person.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any, BinaryIO

from lsprotocol.types import EXIT
from pygls.exceptions import JsonRpcParseError

from croqls.lsp.protocol import CroqtileProtocol
from croqls.lsp.threads import Threads

LAST_SECOND = 1.0  # for what is still to be written; a server without a client must not stay
_LOG = logging.getLogger(__name__)
_MOST_DIGITS = 10  # of a length
_LONGEST = 1000  # digits of a whole number; Python refuses to read much longer ones, and no field of LSP takes any


class Output:
    """Standard output, as the library wants it. What is told behind the end is lost."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        if not self._stream.closed:
            self._stream.write(data)
            self._stream.flush()

    def close(self) -> None:
        self._stream.close()


async def listen(protocol: CroqtileProtocol, stream: BinaryIO) -> None:
    """Hand over message by message until the stream ends; what is none is answered as that."""
    loop, thread = asyncio.get_running_loop(), Threads(1)
    while True:
        try:
            message = await loop.run_in_executor(thread, read_message, stream)
        except EOFError:
            return
        except JsonRpcParseError as error:
            protocol.refuse(None, error)
            continue
        if isinstance(message, Mapping) and message.get("method") == EXIT:
            await protocol.end(LAST_SECOND)
        try:
            protocol.handle_message(message)
        except Exception:  # one message's failure must not end the server
            _LOG.exception("a message could not be handled")


def read_message(stream: BinaryIO) -> Any:
    """The next message as plain data. Raises EOFError at the end, JsonRpcParseError for what is no message."""
    length = _length(stream)
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    try:
        return json.loads(body, parse_int=_number)
    except (ValueError, RecursionError) as error:
        raise JsonRpcParseError(f"the body is no JSON: {error}") from None


def _length(stream: BinaryIO) -> int:
    """What the header says; names of its fields are of any case (RFC 9110, 5.1). Raises as `read_message`."""
    found: int | None = None
    fields = 0
    while line := stream.readline():
        name, _, value = line.strip().partition(b":")
        if not name:
            if found is not None:
                return found
            if fields:
                raise JsonRpcParseError("the header has no Content-Length that is a number")
            continue
        fields += 1
        value = value.strip()
        if name.strip().lower() == b"content-length" and value.isdigit() and len(value) <= _MOST_DIGITS:
            found = int(value)
    raise EOFError


def _number(text: str) -> int | float:
    return int(text) if len(text) <= _LONGEST else float(text)
