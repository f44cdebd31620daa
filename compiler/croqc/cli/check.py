"""`croq check`: find mistakes. Must not analyse (see `service.check`)."""

from __future__ import annotations

import argparse

from croqc.cli.common import add_files, add_json, add_settings, check_all, flags_of, write_json
from croqc.cli.render import render_diagnostic, summary, wants_colour
from croqc.flow.analysis import CHECK_BUDGET
from croqc.service.check import FileReport
from croqc.service.explain_words import COVERS
from croqc.service.flow_check import verdict_lines, with_flow, words_of
from croqc.service.judged_fixes import with_judged_fixes
from croqc.text.diagnostics import Severity

EXAMPLES = """  croq check kernel.co
  croq check --arch sm_80 -D TILE=64 kernels/*.co
  croq check --strict --json kernel.co"""

_SURE = ("proved", "checked")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_settings(parser)
    add_json(parser)
    parser.add_argument("--strict", action="store_true", help="exit with 1 for warnings, too")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no notes and no summary")


def run(args: argparse.Namespace) -> int:
    reports, problems = check_all(args.files, flags_of(args))
    reports = [with_judged_fixes(with_flow(report, CHECK_BUDGET)) for report in reports]
    if args.json:
        from croqc.service.check_result import check_result

        write_json(check_result(reports))
    else:
        _print(args, reports)
    found = {item.severity for report in reports for item in report.diagnostics}
    failed = Severity.ERROR in found or (args.strict and Severity.WARNING in found)
    return 2 if problems else int(failed)


def _print(args: argparse.Namespace, reports: list[FileReport]) -> None:
    colour = wants_colour()
    shown = []
    for report in reports:
        for item in report.diagnostics:
            if args.quiet and item.severity in (Severity.INFORMATION, Severity.HINT):
                continue
            shown.append(item)
            print(render_diagnostic(item, report.source, colour))
    if reports and not args.quiet:
        for line in (line for report in reports for line in verdict_lines(report)):
            print(line)
        if sure := [word for word in _SURE if word in words_of(reports)]:
            print(f"{' and '.join(sure)}: {COVERS}")
        print(summary(shown, len(reports)))
