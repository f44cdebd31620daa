"""`croq profile`: where the time of a kernel goes on the card. Must not measure or judge (see `service.profile`)."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from croqc.cli.card import add_card, no_card, open_card
from croqc.cli.common import add_json, add_settings, flags_of, positive, tell_overruled, write_json
from croqc.cli.failure import UsageError
from croqc.cli.profile_report import report_lines
from croqc.cli.run import recheck
from croqc.codegen.probe_format import BLOCKS
from croqc.engines.gpu.protocol import ROUNDS, RUN_SECONDS
from croqc.service.check import check_file
from croqc.service.files import create_text
from croqc.service.run_plan import CardRequest, PlanError, Request, split_defines
from croqc.service.settings import Settings
from croqc.text.record import replace

if TYPE_CHECKING:
    from croqc.engines.gpu.parent import Parent
    from croqc.service.profile import Profiled

EXAMPLES = """  croq profile kernel.co -D M=4096 -D N=4096 -D K=4096
  croq profile kernel.co --html profile.html --trace profile.json
  croq profile kernel.co --entry matmul --block 17 --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="Croqtile source file (.co)")
    add_settings(parser, takes_sizes=True)
    add_json(parser)
    parser.add_argument("--entry", metavar="F", help="profile this function only")
    parser.add_argument(
        "--block",
        type=_block,
        action="append",
        default=[],
        metavar="N",
        help=f"record this block, counted with x fastest; up to {BLOCKS} times (default: the first and the last)",
    )
    parser.add_argument(
        "--html", type=Path, metavar="OUT", help="write the page of 'croq flow' with the measured times"
    )
    parser.add_argument("--trace", type=Path, metavar="OUT", help="write a trace for chrome://tracing or Perfetto")
    parser.add_argument("--repeat", type=positive, metavar="N", help=f"rounds to time (default {ROUNDS})")
    add_card(parser)


def _block(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be at least 0, not {text}")
    return value


def run(args: argparse.Namespace) -> int:
    if len(set(args.block)) > BLOCKS:
        raise UsageError(f"at most {BLOCKS} blocks record at a time; leave some --block out")
    with open_card() as card:
        if (reason := no_card(card, offers_sim=False)) and not args.json:
            print(f"croq: {reason}; 'croq flow' shows the pipeline without times", file=sys.stderr)
            return 1
        try:
            done = _profiles(args, card)
        except PlanError as error:
            raise UsageError(str(error)) from None
    _written(args, done)
    return int(not all(item.entry.kernels for item in done))


def _profiles(args: argparse.Namespace, card: Parent) -> list[Profiled]:
    from croqc.service.profile import ProfileRequest, profile_file  # here, since it loads the engine

    flags = flags_of(args)
    report = check_file(args.file, Settings(flags.arch, flags.dialect))
    macros, sizes = split_defines(report, args.entry, flags.defines)
    settings = replace(flags, defines=macros)
    if macros:
        report = check_file(args.file, settings)
    tell_overruled(report)
    wanted = CardRequest(args.force, args.timeout or RUN_SECONDS, rounds=args.repeat or ROUNDS)
    request = ProfileRequest(Request(args.entry, sizes, card=wanted), tuple(args.block))
    return list(profile_file(report, request, partial(recheck, args.file, settings), card))


def _written(args: argparse.Namespace, done: list[Profiled]) -> None:
    from croqc.service.profile_result import ProfileResult

    result = ProfileResult(1, tuple(item.entry for item in done))
    if args.html:
        from croqc.service.profile_page import profile_page

        create_text(args.html, profile_page(done))
    if args.trace:
        from croqc.service.profile_trace import trace_json

        create_text(args.trace, trace_json(result))
    if args.json:
        write_json(result)
    else:
        print("\n".join(line for item in done for line in report_lines(item.entry)))
