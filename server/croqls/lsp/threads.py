"""Threads for what is done beside the loop, which nobody waits for when the server ends. Must not know what is done."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor


class Threads(ThreadPoolExecutor):
    """The library's waits for its threads when the loop ends: a long search would keep a server without a client."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=True)
