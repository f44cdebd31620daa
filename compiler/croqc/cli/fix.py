"""`croq fix`: apply the fixes of the findings. Must not make fixes (see `rules`)."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from croqc.cli.changes import print_diff
from croqc.cli.common import add_files, add_settings, check_all, flags_of, tell_overruled
from croqc.cli.failure import UsageError
from croqc.flow.analysis import CHECK_BUDGET
from croqc.service.check import FileReport, check_text
from croqc.service.explain import UnknownRuleError, find_rule
from croqc.service.files import FileError, write_text
from croqc.service.fix import FixedText, fix_text
from croqc.service.flow_check import with_flow
from croqc.service.settings import Settings, project_settings

EXAMPLES = """  croq fix --diff kernel.co
  croq fix --write --rule syntax-error kernel.co"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_settings(parser)
    parser.add_argument("--rule", metavar="NAME", help="apply the fixes of this rule only")
    parser.add_argument("--unsafe", action="store_true", help="apply fixes that may change meaning, too")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--write", action="store_true", help="write the fixed files")
    how.add_argument("--diff", action="store_true", help="show the changes (the default)")


def run(args: argparse.Namespace) -> int:
    if args.rule is not None:
        try:
            find_rule(args.rule)
        except UnknownRuleError as error:
            raise UsageError(str(error)) from None
    flags = flags_of(args)
    reports, problems = check_all(args.files, flags)
    for report in reports:
        tell_overruled(report)
        try:
            checked = with_flow(report, CHECK_BUDGET)
            _finish(args, report, fix_text(checked, partial(_recheck, flags), args.rule, args.unsafe))
        except FileError as problem:
            problems.append(problem)
            print(f"croq: {problem}", file=sys.stderr)
    return 2 if problems else 0


def _recheck(flags: Settings, text: str, before: FileReport) -> FileReport:
    path = Path(before.source.path)
    return with_flow(check_text(text, flags, project_settings(path), str(path), before), CHECK_BUDGET, before)


def _finish(args: argparse.Namespace, report: FileReport, fixed: FixedText) -> None:
    path = Path(report.source.path)
    if not args.write:
        print_diff(path, report.source.text, fixed.text)
        return
    if fixed.applied:
        write_text(path, fixed.text)
    print(f"{path}: {fixed.applied} fix{'' if fixed.applied == 1 else 'es'} applied")
