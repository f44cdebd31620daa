"""`croq cuda`: the CUDA C++, PTX or machine code of a file. Must not generate it (see `service.cuda`)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from croqc.cli.common import add_settings, flags_of
from croqc.cli.failure import UsageError
from croqc.cli.render import render_diagnostic
from croqc.service.check import check_file
from croqc.service.check_result import to_json
from croqc.service.cuda import Cuda, cuda_of, with_margins
from croqc.service.files import create_text
from croqc.service.machine_code import NoCompilerError, RefusedError, ptx_of, sass_of
from croqc.service.run_plan import PlanError, split_defines
from croqc.service.settings import Settings
from croqc.text.record import replace

EXAMPLES = """  croq cuda kernel.co
  croq cuda kernel.co -D K=4096 --lines -o kernel.cu
  croq cuda kernel.co --full -o kernel.cu
  croq cuda kernel.co --sass"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="Croqtile source file (.co)")
    add_settings(parser)
    parser.add_argument("--entry", metavar="F", help="this function only")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--full", action="store_true", help="with the host side: checks, tensor maps, launches")
    form.add_argument("--ptx", action="store_true", help="PTX instead, from NVRTC")
    form.add_argument("--sass", action="store_true", help="machine code instead, from NVRTC and nvdisasm")
    parser.add_argument("--lines", action="store_true", help="name the line of the source behind each statement")
    parser.add_argument("--json", action="store_true", help="print the result as JSON, with the map of its lines")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="write to a file")


def run(args: argparse.Namespace) -> int:
    flags = flags_of(args)
    try:
        report = check_file(args.file, Settings(flags.arch, flags.dialect))
        macros, sizes = split_defines(report, args.entry, flags.defines)
        if macros:
            report = check_file(args.file, replace(flags, defines=macros))
        found = cuda_of(report, args.entry, sizes, args.full)
    except PlanError as error:
        raise UsageError(str(error)) from None
    for problem in found.problems:
        if not args.json:
            print(render_diagnostic(problem, report.source), file=sys.stderr)
    if found.problems and not args.json:
        return 1
    shown = found if found.problems else _machine(found, args)
    if args.json:
        text = to_json(shown.result)
    elif args.lines and shown.lines:
        text = with_margins(report.source, shown.lines)
    else:
        text = shown.result.text
    if args.output is None:
        sys.stdout.write(text)
    else:
        create_text(args.output, text)
    return int(bool(found.problems))


def _machine(found: Cuda, args: argparse.Namespace) -> Cuda:
    """The text that was asked for: PTX and SASS have no map of lines."""
    if not (args.ptx or args.sass):
        return found
    form, make = ("ptx", ptx_of) if args.ptx else ("sass", sass_of)
    try:
        text = make(found.result.text, found.result.arch)
    except (NoCompilerError, RefusedError) as error:
        raise UsageError(str(error)) from None
    from dataclasses import replace as changed

    return Cuda(changed(found.result, form=form, text=text, lines=()), (), ())
