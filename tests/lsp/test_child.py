"""Processes of the server that misbehave: who waits for one is told, and nothing waits that need not."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from multiprocessing.connection import Connection
from typing import Any

import pytest

from croqls.lsp import child as child_module
from croqls.lsp.child import Child
from croqls.lsp.worker_process import WorkerProcess
from croqls.workers.orders import Order


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


def deaf(_: Connection) -> None:
    threading.Event().wait()


async def test_nothing_waits_for_a_process_that_does_not_read() -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()
    child = Child(deaf, "deaf", heard.put_nowait)
    try:
        await asyncio.wait_for(asyncio.to_thread(child.send, "x" * 10_000_000), 20)
        child.process.terminate()
        assert await asyncio.wait_for(heard.get(), 60) is None
    finally:
        child.kill()
    child.send("to nobody")


def lengths(connection: Connection) -> None:
    while True:
        connection.send(len(connection.recv()))


async def test_orders_come_in_their_order_however_they_are_written() -> None:
    """Those that the pipe takes are written at once, the others by a thread, and what follows them behind them."""
    heard: asyncio.Queue[Any] = asyncio.Queue()
    child = Child(lengths, "lengths", heard.put_nowait)
    try:
        child.send("x")
        assert child._orders.empty() and child._left == 0
        assert await asyncio.wait_for(heard.get(), 60) == 1
        sizes = [10, 10_000_000, 20, 3_000_000, 30]
        for size in sizes:
            child.send("x" * size)
        assert [await asyncio.wait_for(heard.get(), 60) for _ in sizes] == sizes
    finally:
        child.kill()


async def test_an_order_of_a_process_that_is_stopped_fails_and_the_next_one_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child_module, "_LOOK", 0.05)
    worker = WorkerProcess("worker", grace=0.0)
    asked = asyncio.create_task(worker.ask(Order("doctor", None, {})))
    while worker._child is None:
        await asyncio.sleep(0)
    assert worker._child.process.pid is not None
    os.kill(worker._child.process.pid, signal.SIGSTOP)
    assert (await asked).failed == "the process that worked at it was stopped; try again"
    assert (await worker.ask(Order("doctor", None, {}))).failed == ""
    worker.stop()
