"""How the command line ends early: a command that cannot be carried out as typed, and Ctrl-C. Must import nothing of
ours: it is loaded before all else.
"""

from __future__ import annotations

import sys


class UsageError(Exception):
    """The command cannot be carried out as typed; the text says why and what to type instead. Exit 2."""


def stopped() -> int:
    """Print the words for Ctrl-C; returns its exit status, that of a shell for SIGINT."""
    print("croq: stopped", file=sys.stderr)
    return 130
