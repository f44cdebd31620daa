"""Arguments that several subcommands share, and what they mean. Must not hold a subcommand's own."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from croqc.cli.failure import UsageError
from croqc.rules.overruled_define import RULE as OVERRULED
from croqc.service.check import FileReport, check_file
from croqc.service.files import FileError
from croqc.service.settings import DIALECTS, Settings

_DEFINE = re.compile(r"^([A-Za-z_][A-Za-z0-9_]*)(?:=(.*))?$", re.DOTALL)


def add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="Croqtile source files (.co)")


def add_settings(parser: argparse.ArgumentParser, takes_sizes: bool = False) -> None:
    """`-D`, `--arch`, `--dialect`. `takes_sizes`: for this command `-D` gives values to sizes and scalars as well."""
    sizes = (
        "or give a size or a scalar parameter its value"
        if takes_sizes
        else "sizes: see run, verify, profile, flow, cuda"
    )
    text = f"define a macro before line 1, {sizes}" if takes_sizes else f"define a macro before line 1 ({sizes})"
    parser.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=V]", help=text)
    parser.add_argument("--arch", help="target architecture, such as sm_90a (the default) or sm_80")
    parser.add_argument("--dialect", choices=DIALECTS, help="'current' warns about older spellings")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def write_json(result: object) -> None:
    """Print a result as JSON; characters that the stream cannot show are escaped as JSON has it."""
    from croqc.service.json_text import to_json

    text = to_json(result)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        text = to_json(result, ascii_only=True)
    sys.stdout.write(text)


def positive(text: str) -> int:
    """An option's whole number, 1 or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {text}")
    return value


def parse_defines(words: Iterable[str]) -> dict[str, str | None]:
    """The macros of `-D`; None for one without a value. Raises UsageError."""
    defines: dict[str, str | None] = {}
    for word in words:
        match = _DEFINE.match(word)
        if match is None:
            reason = "macro name missing after '-D'" if not word or word.startswith("=") else f"'-D {word}' is no name"
            raise UsageError(f"{reason}; write -D NAME or -D NAME=VALUE")
        defines[match.group(1)] = match.group(2)
    return defines


def flags_of(args: argparse.Namespace) -> Settings:
    """The settings that were typed."""
    return Settings(arch=args.arch, dialect=args.dialect, defines=parse_defines(args.defines))


def tell_overruled(report: FileReport) -> None:
    """Say on standard error which macros from outside the file's own `#define` replaces; `croq check` prints all."""
    for item in report.diagnostics:
        if item.code == OVERRULED.name:
            place = report.source.line_column(item.span.start)
            print(f"{report.source.path}:{place[0]}:{place[1]}: note: {item.message}", file=sys.stderr)


def check_all(paths: Sequence[Path], flags: Settings) -> tuple[list[FileReport], list[FileError]]:
    """Check each file; one that cannot be read does not keep the others from being checked."""
    reports: list[FileReport] = []
    problems: list[FileError] = []
    for path in paths:
        try:
            reports.append(check_file(path, flags))
        except FileError as problem:
            problems.append(problem)
            print(f"croq: {problem}", file=sys.stderr)
    return reports, problems
