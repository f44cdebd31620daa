"""`croq completion`: prints a shell's completion script. The scripts are made by `make completions`; see there."""

from __future__ import annotations

import argparse
import sys
from importlib.resources import files

SHELLS = ("bash", "zsh", "fish", "tcsh")
EXAMPLES = """  croq completion bash > ~/.local/share/bash-completion/completions/croq
  croq completion zsh > ~/.zfunc/_croq
  croq completion fish > ~/.config/fish/completions/croq.fish"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(args: argparse.Namespace) -> int:
    sys.stdout.write(files("croqc.cli").joinpath("completions", f"croq.{args.shell}").read_text(encoding="utf-8"))
    return 0
