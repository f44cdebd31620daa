"""A process of the server that says what cannot be understood: it is ended, and who waits for it is told."""

from __future__ import annotations

import asyncio
from multiprocessing.connection import Connection
from typing import Any

from croqls.lsp.child import Child


class Unreadable:
    """Has a field more where it is made than where it is read, as after an upgrade under a running server."""

    def __reduce__(self) -> tuple[Any, tuple[int, int]]:
        return int, (3, 99)  # there is no base 99 and no such call with a number: reading it raises TypeError


def babble(connection: Connection) -> None:
    connection.send("first")
    connection.send(Unreadable())
    connection.recv()  # it would wait for ever


async def test_a_process_whose_words_cannot_be_read_is_ended() -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()
    child = Child(babble, "babble", heard.put_nowait)
    assert await asyncio.wait_for(heard.get(), 60) == "first"
    assert await asyncio.wait_for(heard.get(), 60) is None
    assert not child.process.is_alive()
