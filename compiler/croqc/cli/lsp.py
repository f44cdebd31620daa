"""`croq lsp`: starts the language server. Must not import it: the server is a package of its own."""

from __future__ import annotations

import argparse
import os
import sys

EXAMPLES = "  croq lsp"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="accepted for editors that pass it; always so")


def run(args: argparse.Namespace) -> int:
    """Become the server: `python -m croqls` in place of this process, so that signals reach it. It imports nothing from
    the folder that it is started in (`-P`), which may be a stranger's."""
    command = [sys.executable, "-P", "-m", "croqls"]
    if os.name == "posix":
        sys.stdout.flush()
        os.execv(sys.executable, command)
    import subprocess

    return subprocess.run(command, check=False).returncode
