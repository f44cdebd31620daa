"""What the command `croq` runs first: Ctrl-C is told in a line also while modules load. Must not load them first."""

from __future__ import annotations

from croqc.cli.failure import stopped


def main() -> int:
    """Run `croq`; returns the exit status."""
    try:
        from croqc.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return stopped()
