"""How every process of the server begins: it ends with the server, and standard output stays the protocol's."""

from __future__ import annotations

import os
import threading
from multiprocessing import parent_process
from multiprocessing.connection import wait


def begin() -> None:
    """Also a process that works at something when the server is killed is gone at once."""
    os.dup2(2, 1)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
