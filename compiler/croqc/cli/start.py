"""What the command `croq` runs first: Ctrl-C is told in a line also while modules load. Must not import any of them."""

from __future__ import annotations

import sys


def main() -> int:
    """Run `croq`; returns the exit status."""
    try:
        from croqc.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return stopped()


def stopped() -> int:
    """The words for Ctrl-C, and its exit status."""
    print("croq: stopped", file=sys.stderr)
    return 130
