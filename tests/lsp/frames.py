"""Messages of the base protocol (LSP 3.17) as bytes, and back. Must not know what they say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any


def framed(message: Mapping[str, Any]) -> bytes:
    """A message with its header."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def messages(stream: IO[bytes]) -> Iterator[dict[str, Any]]:
    """The messages of a stream, until it ends."""
    while True:
        length = 0
        while (line := stream.readline().strip()) != b"":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            return
        yield dict(json.loads(stream.read(length)))


def hand_over(stream: IO[bytes], put: Callable[[dict[str, Any] | None], None]) -> None:
    """Each message as it comes, and None at the end."""
    for message in messages(stream):
        put(message)
    put(None)
