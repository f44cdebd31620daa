"""`croq run`: run the kernels of files in the simulator and report. Must not run or compare (see `service.run`)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from croqc.cli.common import add_files, add_json, add_settings, check_all, flags_of, tell_overruled, write_json
from croqc.cli.run_report import print_report
from croqc.service.check import FileReport, check_file
from croqc.service.files import FileError
from croqc.service.run import RunReport, run_file
from croqc.service.run_plan import PlanError, Request, split_defines
from croqc.service.run_result import run_result
from croqc.service.settings import Settings, SettingsError
from croqc.text.record import replace

EXAMPLES = """  croq run kernel.co
  croq run kernel.co -D M=256 -D N=256 -D K=512 --schedules 10
  croq run --entry matmul --seed 7 --json kernel.co"""


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {text}")
    return value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_settings(parser)
    add_json(parser)
    parser.add_argument("--entry", metavar="F", help="run this function only")
    parser.add_argument("--engine", choices=("sim",), default="sim", help="where to run: sim, the simulator")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of data and schedule (default 0)")
    parser.add_argument("--schedules", type=_positive, default=1, metavar="K", help="try K schedules (default 1)")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    parser.add_argument("--max-steps", type=_positive, metavar="N", help="give up after N steps of the simulation")


def run(args: argparse.Namespace) -> int:
    flags = flags_of(args)
    plain = Settings(flags.arch, flags.dialect)
    reports, problems = check_all(args.files, plain)
    done: list[RunReport] = []
    for report in reports:
        try:
            for outcome in _runs(report, args, flags):
                done.append(outcome)
                if not args.json:
                    print_report(outcome)
        except (PlanError, SettingsError) as error:
            problems.append(FileError(str(error)))
            print(f"croq: {error}", file=sys.stderr)
    if args.json:
        write_json(run_result(done))
    elif len(done) > 1:
        good = sum(item.ok for item in done)
        print(f"{good} of {len(done)} runs verified or consistent")
    return 2 if problems else int(not all(item.ok for item in done))


def _runs(report: FileReport, args: argparse.Namespace, flags: Settings) -> Iterator[RunReport]:
    """The runs of one file; `-D` names that are sizes of its kernels are no macros for it."""
    path = Path(report.source.path)
    macros, sizes = split_defines(report, args.entry, flags.defines)
    settings = replace(flags, defines=macros)
    request = Request(args.entry, sizes, args.seed, args.schedules, args.max_steps or 0)
    if macros:
        report = check_file(path, settings)
    tell_overruled(report)
    with _progress(path.name, args.json or args.quiet) as on_progress:
        yield from run_file(report, request, partial(_recheck, path, settings), on_progress)


def _recheck(path: Path, flags: Settings, arch: str) -> FileReport:
    return check_file(path, replace(flags, arch=arch))


@contextmanager
def _progress(name: str, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, once a run takes longer than a second; elsewhere a line every ten seconds."""
    if quiet:
        yield None
        return
    from croqc.cli.progress import Bar, Lines

    shown: Bar | Lines = Bar(name) if sys.stderr.isatty() else Lines(name)
    try:
        yield shown.update
    finally:
        shown.close()
