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
from croqc.service.judged_fixes import with_judged_fixes
from croqc.service.settings import Settings, project_settings
from croqc.text.diagnostics import Diagnostic, Severity

EXAMPLES = """  croq fix --diff kernel.co
  croq fix --write --rule syntax-error kernel.co

exit status:
  0, or 1 where an error is left that has no fix or none that is safe; 2 for usage"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_settings(parser)
    parser.add_argument("--rule", metavar="NAME", help="apply the fixes of this rule only")
    parser.add_argument("--unsafe", action="store_true", help="apply fixes that may change meaning, too")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--write", action="store_true", help="write the fixed files")
    how.add_argument("--diff", action="store_true", help="show the changes (the default)")


_LISTED = 5  # findings without a fix that are named


def run(args: argparse.Namespace) -> int:
    if args.rule is not None:
        try:
            find_rule(args.rule)
        except UnknownRuleError as error:
            raise UsageError(str(error)) from None
    flags = flags_of(args)
    reports, problems = check_all(args.files, flags)
    failed = False
    for report in reports:
        tell_overruled(report)
        try:
            checked = with_judged_fixes(with_flow(report, CHECK_BUDGET))
            fixed = fix_text(checked, partial(_recheck, flags), args.rule, args.unsafe)
            _finish(args, report, fixed)
            failed |= _tell_left(args, fixed)
        except FileError as problem:
            problems.append(problem)
            print(f"croq: {problem}", file=sys.stderr)
    return 2 if problems else int(failed)


def _recheck(flags: Settings, text: str, before: FileReport) -> FileReport:
    path = Path(before.source.path)
    checked = check_text(text, flags, project_settings(path), str(path), before)
    return with_judged_fixes(with_flow(checked, CHECK_BUDGET, before))


def _finish(args: argparse.Namespace, report: FileReport, fixed: FixedText) -> None:
    path = Path(report.source.path)
    if not args.write:
        print_diff(path, report.source.text, fixed.text)
        return
    if fixed.applied:
        write_text(path, fixed.text)
    lines = f" in {fixed.lines} lines" if fixed.lines > fixed.applied else ""
    print(f"{path}: {fixed.applied} fix{'' if fixed.applied == 1 else 'es'} applied{lines}")


def _tell_left(args: argparse.Namespace, fixed: FixedText) -> bool:
    """Name the errors and warnings that are left, on standard error; whether an error is among them."""
    left = [item for item in fixed.report.diagnostics if item.severity in (Severity.ERROR, Severity.WARNING)]
    left = [item for item in left if args.rule in (None, item.code)]
    unsure = [item for item in left if item.fixes and not args.unsafe]
    _tell(fixed, [item for item in left if item not in unsure], ("has no fix", "have no fix"))
    _tell(
        fixed, unsure, ("has a fix that may change meaning (--unsafe)", "have fixes that may change meaning (--unsafe)")
    )
    return any(item.severity is Severity.ERROR for item in left)


def _tell(fixed: FixedText, items: list[Diagnostic], words: tuple[str, str]) -> None:
    if not items:
        return
    source = fixed.report.source
    places = [f"{item.code} at {':'.join(map(str, source.line_column(item.span.start)))}" for item in items[:_LISTED]]
    more = f" and {len(items) - _LISTED} more" if len(items) > _LISTED else ""
    count = f"1 finding {words[0]}" if len(items) == 1 else f"{len(items)} findings {words[1]}"
    print(f"{source.path}: {count}: {', '.join(places)}{more}", file=sys.stderr)
