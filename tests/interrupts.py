"""Processes that tests interrupt: started from a background job of a shell, which ignores SIGINT, they would, too."""

from __future__ import annotations

import signal


def heed() -> None:
    """For `preexec_fn`: the child takes SIGINT, whatever started the tests."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
