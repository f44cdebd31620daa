"""`croq migrate`: move files to another dialect. Must not migrate (see `service.migrate`)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from croqc.cli.changes import print_diff
from croqc.cli.common import add_files, add_settings, check_all, flags_of, tell_overruled
from croqc.service.check import FileReport
from croqc.service.files import FileError, write_text
from croqc.service.migrate import DIRECTIONS, Migration, migrate
from croqc.service.settings import Settings, project_settings

EXAMPLES = """  croq migrate --diff kernel.co
  croq migrate --write --to course kernels/*.co"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_settings(parser)
    parser.add_argument("--to", choices=DIRECTIONS, default="current", help="the dialect to write (default: current)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--write", action="store_true", help="write the migrated files")
    how.add_argument("--diff", action="store_true", help="show the changes (the default)")


def run(args: argparse.Namespace) -> int:
    flags = flags_of(args)
    reports, problems = check_all(args.files, flags)
    for report in reports:
        tell_overruled(report)
        try:
            _finish(args, flags, report)
        except FileError as problem:
            problems.append(problem)
            print(f"croq: {problem}", file=sys.stderr)
    return 2 if problems else 0


def _finish(args: argparse.Namespace, flags: Settings, report: FileReport) -> None:
    path = Path(report.source.path)
    defines = flags.over(project_settings(path)).defines
    migrated = migrate(report, args.to, defines)
    _tell(report, migrated)
    if not args.write:
        print_diff(path, report.source.text, migrated.text)
        return
    if migrated.text != report.source.text:
        write_text(path, migrated.text)
    print(f"{path}: {migrated.moved} change{'' if migrated.moved == 1 else 's'} to the {args.to} dialect")


def _tell(report: FileReport, migrated: Migration) -> None:
    """What stays, with its places in the file as it was; on standard error, so that the diff can be piped."""
    for item in migrated.kept:
        place = report.source.position(item.span.start)
        where = f"{report.source.path}:{place.line + 1}:{place.column + 1}"
        print(f"{where}: {'warning' if item.older else 'note'}: {item.message}", file=sys.stderr)
    if migrated.skipped:
        some = "a function" if migrated.skipped == 1 else f"{migrated.skipped} functions"
        print(f"{report.source.path}: {some} with syntax errors left as it is", file=sys.stderr)
