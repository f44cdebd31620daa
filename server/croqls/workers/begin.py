"""How every process of the server begins: it ends with the server, and standard output stays the protocol's."""

from __future__ import annotations

import os
import signal
import sys
import threading
from multiprocessing import parent_process
from multiprocessing.connection import wait


def begin() -> None:
    """Also a process that works at something when the server is killed is gone at once."""
    os.dup2(2, 1)
    _end_when_stopped()
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_when_stopped() -> None:
    """A process that is stopped ends with the server, too: no thread of its own would see that the server is gone."""
    if sys.platform == "linux":
        from ctypes import CDLL

        CDLL(None).prctl(1, int(signal.SIGKILL), 0, 0, 0)  # PR_SET_PDEATHSIG, prctl(2)
    elif sys.platform != "win32":
        os.setpgid(0, 0)  # a group without a parent is sent SIGHUP where a member is stopped (POSIX, `_exit`)


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
