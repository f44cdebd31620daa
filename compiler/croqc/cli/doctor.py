"""`croq doctor`: what is here for running kernels on a card. Must not examine or judge (see `service.doctor`)."""

from __future__ import annotations

import argparse

from croqc.cli.common import add_json, write_json
from croqc.service.doctor import DoctorResult, diagnose
from croqc.service.machine import examine

EXAMPLES = """  croq doctor
  croq doctor --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """A machine without a card is no error: the status is 0 either way."""
    result = diagnose(examine())
    if args.json:
        write_json(result)
    else:
        print("\n".join(report_lines(result)))
    return 0


def report_lines(result: DoctorResult) -> list[str]:
    """The report, a line a finding, with the way out below it."""
    width = max(len(item.name) for item in result.findings)
    lines = []
    for item in result.findings:
        lines.append(f"{item.state:<9} {item.name:<{width}}  {item.detail}")
        if item.hint:
            lines.append(f"{'':<9} {'':<{width}}  {item.hint}")
    return [*lines, result.summary]
