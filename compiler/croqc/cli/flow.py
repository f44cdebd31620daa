"""`croq flow`: the credit flow of a file's kernels. Must not analyse or draw (see `service.flow`)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from croqc.cli.common import add_settings, flags_of, tell_overruled, write_json
from croqc.cli.failure import UsageError
from croqc.cli.flow_report import flow_lines
from croqc.cli.render import wants_colour
from croqc.service.files import create_text
from croqc.service.flow import FlowEntry, FlowResult, RequestError, flow_of_file

EXAMPLES = """  croq flow kernel.co
  croq flow kernel.co --html flow.html
  croq flow kernel.co -D K=512 --svg flow.svg
  croq flow kernel.co --serve"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="Croqtile source file (.co)")
    add_settings(parser, takes_sizes=True)
    parser.add_argument("--entry", metavar="F", help="show this function only")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the result as JSON")
    form.add_argument("--svg", type=Path, metavar="OUT", help="write a picture (- for standard output)")
    form.add_argument("--html", type=Path, metavar="OUT", help="write the interactive page (- for standard output)")
    form.add_argument("--serve", action="store_true", help="serve the page on this machine until Ctrl-C")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port for --serve (default: any free one)")


def run(args: argparse.Namespace) -> int:
    flags = flags_of(args)

    def result() -> FlowResult:
        return flow_of_file(args.file, args.entry, flags, tell_overruled)

    try:
        if args.serve:
            return _serve(args, result)
        found = result()
    except RequestError as error:
        raise UsageError(str(error)) from None
    if args.json:
        write_json(found)
    elif args.svg:
        from croqc.service.flow_svg import flow_svg

        shown = _shown(args.file, found)
        _write(args.svg, flow_svg(shown), [shown])
    elif args.html:
        from croqc.service.flow_page import flow_page

        _write(args.html, flow_page(found), found.flows)
    else:
        print("\n".join(flow_lines(found, wants_colour())))
    return int(any(flow.verdict == "fails" for flow in found.flows))


def _write(out: Path, text: str, flows: Sequence[FlowEntry]) -> None:
    """Into a file, or to standard output for `-`; with a line that tells what it shows."""
    if out == Path("-"):
        sys.stdout.write(text)
    else:
        create_text(out, text)
        told = "; ".join("; ".join(filter(None, (f"{flow.function}: {flow.strength}", flow.scope))) for flow in flows)
        print(f"{out}: {told or 'no kernel'}")


def _shown(path: Path, result: FlowResult) -> FlowEntry:
    """The kernel of the picture: the first that fails, else the first."""
    failing = [flow for flow in result.flows if flow.verdict == "fails"]
    if not result.flows:
        raise UsageError(f"{path}: has no kernel to draw")
    return (failing or list(result.flows))[0]


def _serve(args: argparse.Namespace, result: Callable[[], FlowResult]) -> int:
    from croqc.cli.flow_latest import Latest
    from croqc.cli.flow_server import serve
    from croqc.service.files import demand_file

    demand_file(args.file)
    result()
    return serve(Latest(args.file, result), args.port)
