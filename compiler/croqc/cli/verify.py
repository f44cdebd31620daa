"""`croq verify`: simulator, card and static verdict side by side. Must not run or judge (see `service.verify`)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from croqc.cli.card import add_card, no_card, open_card
from croqc.cli.common import add_files, add_json, add_settings, check_all, flags_of, tell_overruled, write_json
from croqc.cli.run import recheck
from croqc.cli.run_report import report_lines
from croqc.engines.gpu.protocol import RUN_SECONDS
from croqc.service.check import FileReport, check_file
from croqc.service.files import FileError
from croqc.service.run_plan import CardRequest, PlanError, Request, split_defines
from croqc.service.settings import Settings, SettingsError
from croqc.service.verify import VerifyReport, verify_file, verify_result
from croqc.text.record import replace

if TYPE_CHECKING:
    from croqc.engines.gpu.parent import Parent

EXAMPLES = """  croq verify kernel.co
  croq verify --entry matmul -D K=512 --json kernel.co"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_settings(parser, takes_sizes=True)
    add_json(parser)
    parser.add_argument("--entry", metavar="F", help="verify this function only")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of data and schedule (default 0)")
    add_card(parser)


def run(args: argparse.Namespace) -> int:
    if sys.platform == "win32":
        return _run(args, None, "the engine gpu runs on Linux")
    with open_card() as card:
        absent = no_card(card, offers_sim=False)
        return _run(args, None if absent else card, absent)


def _run(args: argparse.Namespace, card: Parent | None, absent: str) -> int:
    flags = flags_of(args)
    reports, problems = check_all(args.files, Settings(flags.arch, flags.dialect))
    done: list[VerifyReport] = []
    for report in reports:
        try:
            done += _verified(report, args, flags, (card, absent))
        except (PlanError, SettingsError) as error:
            problems.append(FileError(str(error)))
            print(f"croq: {error}", file=sys.stderr)
    if args.json:
        write_json(verify_result(done))
    else:
        print("\n".join(table_lines(done)))
        if absent:
            print(f"no card: {absent}", file=sys.stderr)
    return 2 if problems else int(not all(item.ok for item in done))


def _verified(
    report: FileReport, args: argparse.Namespace, flags: Settings, way: tuple[Parent | None, str]
) -> Iterator[VerifyReport]:
    path = Path(report.source.path)
    macros, sizes = split_defines(report, args.entry, flags.defines)
    settings = replace(flags, defines=macros)
    wanted = CardRequest(args.force, args.timeout or RUN_SECONDS, report=True)
    request = Request(args.entry, sizes, args.seed, card=wanted)
    if macros:
        report = check_file(path, settings)
    tell_overruled(report)
    yield from verify_file(report, request, partial(recheck, path, settings), *way)


def table_lines(done: list[VerifyReport]) -> list[str]:
    """One row a run; below it the whole report of whatever did not hold."""
    rows = [("kernel", "simulator", "card", "static verdict")]
    for item in done:
        result = item.sim.result
        sizes = " ".join(f"{name}={value}" for name, value in result.sizes)
        name = f" '{item.sim.name}'" if item.sim.name else ""
        gpu = "-" if item.gpu is None else item.gpu.result.verdict.value
        rows.append(
            (
                f"{item.sim.path}: {item.sim.function}{name} {sizes}".rstrip(),
                result.verdict.value,
                gpu,
                item.static.text,
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = []
    for number, row in enumerate(rows):
        lines.append("  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[3]]))
        if number:
            lines += _details(done[number - 1])
    return lines


def _details(item: VerifyReport) -> list[str]:
    lines = []
    for report in (item.sim, item.gpu):
        if report is not None and not report.ok:
            lines += [f"  {report.result.engine}: {line.strip()}" for line in report_lines(report)[1:]]
    if not item.agree:
        lines.append("  they do not agree")
    return lines
