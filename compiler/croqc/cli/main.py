"""Entry point of `croq`: picks the subcommand, imports only that, and turns known failures into one line.

Must not do a subcommand's work.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from croqc import __version__
from croqc.cli.failure import UsageError, stopped
from croqc.cli.usage import USAGE, Parser, unknown_command, unknown_option
from croqc.service.files import FileError
from croqc.service.memory import collect_seldom
from croqc.service.settings import SettingsError

OK, FAILED = 0, 1
ALONE = ("-h", "--help", "--version")  # options of `croq` itself

COMMANDS = {
    "check": "find mistakes in .co files",
    "run": "run kernels in the simulator or on the card, and verify their results",
    "verify": "set simulator, card and static verdict side by side",
    "profile": "tell where the time of a kernel goes on the card",
    "flow": "prove a pipeline's credit flow, and show it step by step",
    "cuda": "print the CUDA C++, PTX or machine code of a file",
    "explain": "explain a rule or a word of the language, or list all rules",
    "fix": "apply the fixes of the findings",
    "migrate": "move .co files to another dialect",
    "fmt": "format .co files, in place",
    "doctor": "tell what is here for running on a card, and what is missing",
    "dump": "show what a stage of the compiler made of a file",
    "lsp": "start the language server on standard input and output",
    "completion": "print the completion script of a shell",
}


class Command(Protocol):
    """What each module of a subcommand offers."""

    EXAMPLES: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


def load(name: str) -> Command:
    """The module of a subcommand."""
    return cast("Command", import_module(f"croqc.cli.{name}"))


def build_parser(only: str | None = None) -> Parser:
    """The whole parser, or with the arguments of one subcommand alone, which starts faster."""
    return _parsers(only)[0]


def _parsers(only: str | None) -> tuple[Parser, dict[str, Parser]]:
    """The parser and those of the subcommands."""
    parser = Parser(
        prog="croq",
        description="Check, simulate and verify Croqtile GPU kernels.",
        epilog="example:\n  croq run examples/pipeline_course.co\n\n'croq COMMAND --help' shows more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"croq {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    children: dict[str, Parser] = {}
    for name, summary in COMMANDS.items():
        wanted = only is None or name == only
        command = load(name) if wanted else None
        child = children[name] = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=f"examples:\n{command.EXAMPLES}" if command else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if command:
            command.add_arguments(child)
    return parser, children


def _steady_output() -> None:
    """Closed streams swallow what is written; characters that a stream cannot show are spelled out."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (lives as long as the process)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def main(argv: Sequence[str] | None = None) -> int:
    """Run `croq`; returns the exit status: 0 fine, 1 errors found or verification failed, 2 usage."""
    words = list(sys.argv[1:] if argv is None else argv)
    _steady_output()
    collect_seldom()
    name = next((word for word in words if not word.startswith("-")), None)
    before = bool(words) and words[0].startswith("-") and words[0] not in ALONE
    if before or (name is not None and name not in COMMANDS):
        return unknown_command(words, name or "", COMMANDS)
    parser, children = _parsers(name if name in COMMANDS else "")
    args, rest = parser.parse_known_args(words)
    if rest:
        return unknown_option(children[args.command], rest)
    try:
        status = load(args.command).run(args)
        sys.stdout.flush()
        return status
    except (UsageError, FileError, SettingsError) as error:
        print(f"croq: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        sys.stderr.close()
        return OK
    except OSError as error:
        print(f"croq: {error.strerror or error}", file=sys.stderr)
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (the interpreter flushes it at the end)
        return USAGE
    except KeyboardInterrupt:
        return stopped()
    except Exception as error:  # a fault of ours; a traceback would not help who typed the command
        print(f"croq: {_confession(args.command, error)}", file=sys.stderr)
        return USAGE


def _confession(command: str, error: Exception) -> str:
    """A fault of the tools in one line, as `internal-error` words it; CROQ_TRACEBACK=1 shows all of it."""
    if os.environ.get("CROQ_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    from croqc.rules.internal_error import described

    return (
        f"'{command}' failed ({described(error)}); this is a fault of the tools, please report it with the file"
        " and what CROQ_TRACEBACK=1 shows"
    )


if __name__ == "__main__":
    sys.exit(main())
