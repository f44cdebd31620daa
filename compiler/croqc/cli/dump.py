"""`croq dump`: what a stage of the compiler made of a file. Must not compute it (see `service.dump`)."""

from __future__ import annotations

import argparse
import sys

from croqc.cli.common import add_files, add_settings, check_all, flags_of, tell_overruled
from croqc.service.dump import STAGES

EXAMPLES = """  croq dump --after tokens kernel.co
  croq dump --after model kernel.co"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_settings(parser)
    parser.add_argument("--after", choices=tuple(STAGES), default="ast", help="the stage (default: ast)")


def run(args: argparse.Namespace) -> int:
    reports, problems = check_all(args.files, flags_of(args))
    for report in reports:
        tell_overruled(report)
        for line in STAGES[args.after](report):
            sys.stdout.write(line.text + "\n")
    return 2 if problems else 0
