"""`croq cuda`: the CUDA C++, PTX or machine code of a file. Must not generate it (see `service.cuda`)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from croqc.cli.common import add_settings, flags_of, tell_overruled, write_json
from croqc.cli.failure import UsageError
from croqc.cli.render import render_diagnostic
from croqc.service.check import FileReport, check_file
from croqc.service.cuda import Cuda, cuda_of, with_margins
from croqc.service.files import create_text
from croqc.service.flow_failure import flow_failure
from croqc.service.json_text import to_json
from croqc.service.machine_code import NoCompilerError
from croqc.service.run_plan import PlanError, split_defines
from croqc.service.settings import Settings
from croqc.text.record import replace

EXAMPLES = """  croq cuda kernel.co
  croq cuda kernel.co -D K=4096 --lines -o kernel.cu
  croq cuda kernel.co --full -o kernel.cu
  croq cuda kernel.co --sass"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="Croqtile source file (.co)")
    add_settings(parser, takes_sizes=True)
    parser.add_argument("--entry", metavar="F", help="this function only")
    parser.set_defaults(form="cuda")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--full",
        dest="form",
        action="store_const",
        const="full",
        help="with the host side: checks, tensor maps, launches",
    )
    form.add_argument("--ptx", dest="form", action="store_const", const="ptx", help="PTX instead, from NVRTC")
    form.add_argument(
        "--sass", dest="form", action="store_const", const="sass", help="machine code instead, from NVRTC and nvdisasm"
    )
    parser.add_argument("--lines", action="store_true", help="name the line of the source behind each statement")
    parser.add_argument("--json", action="store_true", help="print the result as JSON, with the map of its lines")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="write to a file")


def run(args: argparse.Namespace) -> int:
    if args.lines and not args.json and args.form in ("ptx", "sass"):
        raise UsageError(f"'--lines' stands beside CUDA C++, not beside '--{args.form}'")
    report, found = _found(args)
    if found.problems and not args.json:
        for problem in found.problems:
            print(render_diagnostic(problem, report.source), file=sys.stderr)
        if found.log:
            print(found.log, file=sys.stderr)
        return 1
    for note in () if args.json else found.notes:
        print(render_diagnostic(note, report.source), file=sys.stderr)
    _tell_flow(report, args.entry)
    if args.output is not None:
        create_text(args.output, to_json(found.result) if args.json else _text(report, found, args))
    elif args.json:
        write_json(found.result)
    else:
        sys.stdout.write(_text(report, found, args))
    return int(bool(found.problems))


def _found(args: argparse.Namespace) -> tuple[FileReport, Cuda]:
    """The file as checked and its CUDA; `-D` names that are sizes of its kernels are no macros for it."""
    flags = flags_of(args)
    report = check_file(args.file, Settings(flags.arch, flags.dialect))
    try:
        macros, sizes = split_defines(report, args.entry, flags.defines)
        if macros:
            report = check_file(args.file, replace(flags, defines=macros))
        tell_overruled(report)
        return report, cuda_of(report, args.entry, sizes, args.form)
    except (PlanError, NoCompilerError) as error:
        raise UsageError(str(error)) from None


def _tell_flow(report: FileReport, entry: str | None) -> None:
    """A line on standard error for each function whose code hangs or races for some size."""
    for function in report.functions:
        failure = flow_failure(report, function) if entry in (None, function.name) else None
        if failure is not None:
            print(f"croq: {failure}; the code is made all the same", file=sys.stderr)


def _text(report: FileReport, shown: Cuda, args: argparse.Namespace) -> str:
    return with_margins(report.source, shown.lines) if args.lines and shown.lines else shown.result.text
