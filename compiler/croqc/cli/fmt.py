"""`croq fmt`: format files in place. Must not format (see `syntax.formatter`)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from croqc.cli.changes import print_diff
from croqc.cli.common import add_files
from croqc.service.files import FileError, read_text, write_text
from croqc.service.format import format_text

EXAMPLES = """  croq fmt kernel.co
  croq fmt --check kernels/*.co"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file would change")
    how.add_argument("--diff", action="store_true", help="write nothing; show the changes")


def run(args: argparse.Namespace) -> int:
    changed = failed = False
    for path in args.files:
        try:
            changed |= _format(path, args)
        except FileError as problem:
            failed = True
            print(f"croq: {problem}", file=sys.stderr)
    return 2 if failed else int(changed and args.check)


def _format(path: Path, args: argparse.Namespace) -> bool:
    before = read_text(path)
    after = format_text(before)
    for name in after.skipped:
        print(f"{path}: '{name}' has syntax errors and is left as it is", file=sys.stderr)
    if after.text == before:
        return False
    if args.diff:
        print_diff(path, before, after.text)
    elif args.check:
        print(f"{path}: would be formatted")
    else:
        write_text(path, after.text)
        print(f"{path}: formatted")
    return True
