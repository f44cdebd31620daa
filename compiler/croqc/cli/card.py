"""Options and ways of the subcommands that use a card. Must not run anything.

What drives a card is imported only when one is asked for: it needs the back end, and locks that not every system has.
"""

from __future__ import annotations

import argparse
import math
import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from croqc.cli.failure import UsageError
from croqc.engines.gpu.protocol import RUN_SECONDS

if TYPE_CHECKING:
    from croqc.engines.gpu.lock import Holder
    from croqc.engines.gpu.parent import Parent


def seconds(text: str) -> float:
    """An option's time, more than 0."""
    value = float(text)
    if not (0 < value < math.inf):
        raise argparse.ArgumentTypeError(f"must be more than 0 seconds, not {text}")
    return value


def add_card(parser: argparse.ArgumentParser) -> None:
    """`--timeout`, `--force`."""
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="S",
        help=f"gpu: end kernels that run for S seconds (default {RUN_SECONDS:g})",
    )
    parser.add_argument("--force", action="store_true", help="gpu: run kernels whose credit flow has errors, too")


def open_card() -> AbstractContextManager[Parent]:
    """The way to the card. Raises UsageError on a system without the means."""
    if sys.platform == "win32":
        raise UsageError("the engine gpu runs on Linux; use --engine sim")
    from croqc.engines.gpu.parent import card_parent

    return card_parent(on_wait=_tell)


def _tell(holder: Holder) -> None:
    print(f"croq: waiting for the card, which {holder} uses", file=sys.stderr)


def no_card(card: Parent, offers_sim: bool = True) -> str:
    """Why the card cannot be used, in one line; empty where it can. What is missing first comes first: without a driver
    no package helps. `offers_sim`: the command has `--engine sim`."""
    found = card.card()
    if isinstance(found, str):
        return ""
    from croqc.engines.gpu.faults import SIM, Kind
    from croqc.service.machine import has_driver

    line = found.line
    if found.kind is Kind.IMPORT and not has_driver():
        line = f"there is no NVIDIA driver here, and {found.message}; 'croq doctor' tells what to install; {SIM}"
    return line if offers_sim else line.removesuffix(f"; {SIM}")
