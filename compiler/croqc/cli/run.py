"""`croq run`: run kernels in the simulator or on the card. Must not run or compare (see `service.run`)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from croqc.cli.card import add_card, no_card, open_card
from croqc.cli.common import (
    add_files,
    add_json,
    add_settings,
    check_all,
    flags_of,
    positive,
    tell_overruled,
    write_json,
)
from croqc.cli.failure import UsageError
from croqc.cli.run_report import print_report
from croqc.engines.gpu.protocol import ROUNDS, RUN_SECONDS
from croqc.service.check import FileReport, check_file
from croqc.service.explain_words import RUNS_COVER
from croqc.service.files import FileError
from croqc.service.run import RunReport, run_file
from croqc.service.run_plan import CardRequest, PlanError, Request, split_defines
from croqc.service.run_result import run_result
from croqc.service.settings import Settings, SettingsError
from croqc.text.record import replace

if TYPE_CHECKING:
    from croqc.engines.gpu.parent import Parent

EXAMPLES = """  croq run kernel.co
  croq run kernel.co -D M=256 -D N=256 -D K=512 --schedules 10
  croq run --entry matmul --seed 7 --json kernel.co
  croq run --engine gpu --timeout 5 kernel.co"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_settings(parser, takes_sizes=True)
    add_json(parser)
    parser.add_argument("--entry", metavar="F", help="run this function only")
    parser.add_argument(
        "--engine", choices=("sim", "gpu"), default="sim", help="where to run: sim, the simulator (default), or gpu"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of data and schedule (default 0)")
    parser.add_argument("--schedules", type=positive, default=1, metavar="K", help="try K schedules (default 1)")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    parser.add_argument("--max-steps", type=positive, metavar="N", help="give up after N steps of the simulation")
    add_card(parser)
    parser.add_argument("--repeat", type=positive, metavar="N", help=f"gpu: rounds to time (default {ROUNDS})")
    parser.add_argument("--cold", action="store_true", help="gpu: empty the card's caches before each round")
    parser.add_argument("--remeasure", action="store_true", help="gpu: measure anew what the card reaches at most")


def run(args: argparse.Namespace) -> int:
    with _way_to_card(args) as card:
        return _run(args, card)


def _run(args: argparse.Namespace, card: Parent | None) -> int:
    flags = flags_of(args)
    if card is not None and (reason := no_card(card)) and not args.json:
        print(f"croq: {reason}", file=sys.stderr)
        return 1
    plain = Settings(flags.arch, flags.dialect)
    reports, problems = check_all(args.files, plain)
    done: list[RunReport] = []
    for report in reports:
        try:
            for outcome in _runs(report, args, flags, card):
                done.append(outcome)
                if not args.json:
                    print_report(outcome)
        except (PlanError, SettingsError) as error:
            problems.append(FileError(str(error)))
            print(f"croq: {error}", file=sys.stderr)
    if args.json:
        write_json(run_result(done))
    else:
        if sure := sorted({item.result.verdict.value for item in done if item.ok and item.result.engine == "sim"}):
            print(f"{' and '.join(sure)}: {RUNS_COVER}")
        if len(done) > 1:
            print(f"{sum(item.ok for item in done)} of {len(done)} runs verified or consistent")
    return 2 if problems else int(not all(item.ok for item in done))


def _runs(report: FileReport, args: argparse.Namespace, flags: Settings, card: Parent | None) -> Iterator[RunReport]:
    """The runs of one file; `-D` names that are sizes of its kernels are no macros for it."""
    path = Path(report.source.path)
    macros, sizes = split_defines(report, args.entry, flags.defines)
    settings = replace(flags, defines=macros)
    wanted = (
        None
        if card is None
        else CardRequest(
            args.force, args.timeout or RUN_SECONDS, False, args.repeat or ROUNDS, args.cold, args.remeasure
        )
    )
    request = Request(args.entry, sizes, args.seed, args.schedules, args.max_steps or 0, wanted)
    if macros:
        report = check_file(path, settings)
    tell_overruled(report)
    with _progress(path.name, args.json or args.quiet) as on_progress:
        yield from run_file(report, request, partial(recheck, path, settings), on_progress, card)


def recheck(path: Path, flags: Settings, arch: str) -> FileReport:
    return check_file(path, replace(flags, arch=arch))


def _way_to_card(args: argparse.Namespace) -> AbstractContextManager[Parent | None]:
    """Raises UsageError for options of the other engine."""
    if args.engine == "gpu":
        if args.schedules != 1 or args.max_steps:
            raise UsageError("--schedules and --max-steps are the simulator's; leave them out, or use --engine sim")
        return open_card()
    given = [name for name in ("force", "timeout", "repeat", "cold", "remeasure") if getattr(args, name)]
    if given:
        raise UsageError(f"--{given[0]} is for --engine gpu")
    return nullcontext()


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
