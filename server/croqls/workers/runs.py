"""Runs, verifications and profiles as orders: how far they are, then their results. Must not judge or know LSP.

The process may be killed at any time. A card's own child ends with it, and its lock goes with the process.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from croqc.engines.gpu.protocol import ROUNDS, RUN_SECONDS
from croqc.service.check import FileReport, check_text
from croqc.service.json_text import to_data
from croqc.service.machine import NO_DRIVER, has_driver
from croqc.service.run import run_file
from croqc.service.run_plan import CardRequest, PlanError, Request
from croqc.service.run_result import RunsResult, run_result
from croqc.service.run_values import Size
from croqc.text.record import replace
from croqls.workers.orders import News, Outcome, Text

if TYPE_CHECKING:
    from croqc.engines.gpu.parent import Parent

_EVERY = 0.2  # seconds between two words on how far a run is
Options = Mapping[str, Any]
Say = Callable[[News], None]


def _run(document: Text, report: FileReport, sizes: Mapping[str, Size], options: Options) -> Iterator[News | Outcome]:
    """As `croq run --json`; without an engine on the card where there is one. Raises PlanError for a usage error."""
    wanted = options.get("engine")
    on_card = wanted == "gpu" or (wanted is None and has_driver() and sys.platform != "win32")
    with _card() if on_card else nullcontext() as card:
        if on_card and (absent := _no_card(card)):
            if wanted is not None:
                yield Outcome(refused=absent, no_card=True)
                return
            on_card, card = False, None
        request = _request(sizes, options, on_card, ROUNDS)

        def result(say: Say) -> RunsResult:
            way = _heard(card, say)
            return run_result(list(run_file(report, request, _recheck(document, report), _blocks(say), way)))

        yield from _telling(result)


def _verify(
    document: Text, report: FileReport, sizes: Mapping[str, Size], options: Options
) -> Iterator[News | Outcome]:
    """As `croq verify --json`: on the card too, where there is one. Raises PlanError for a usage error."""
    from croqc.service.verify import VerifyResult, verify_file, verify_result  # here: the way to a card needs locks

    with _card() if sys.platform != "win32" else nullcontext() as card:
        absent = _no_card(card)
        request = _request(sizes, options, on_card=True)

        def result(say: Say) -> VerifyResult:
            way = None if absent else _heard(card, say)
            return verify_result(list(verify_file(report, request, _recheck(document, report), way, absent)))

        yield from _telling(result)


def _profile(
    document: Text, report: FileReport, sizes: Mapping[str, Size], options: Options
) -> Iterator[News | Outcome]:
    """As `croq profile --json`, with what its page shows in `flow`. Raises PlanError for a usage error."""
    if sys.platform == "win32":
        yield Outcome(refused="a profile is measured on a card, and the engine gpu runs on Linux")
        return
    from croqc.service.profile import ProfileRequest, profile_file  # here: the way to a card needs locks
    from croqc.service.profile_page import measured_flows
    from croqc.service.profile_result import ProfileResult

    with _card() as card:
        if absent := _no_card(card):
            yield Outcome(refused=absent, no_card=True)
            return
        wanted = ProfileRequest(_request(sizes, options, on_card=True))

        def measured(say: Say) -> dict[str, Any]:
            _heard(card, say)
            done = list(profile_file(report, wanted, _recheck(document, report), card))
            result: dict[str, Any] = to_data(ProfileResult(1, tuple(one.entry for one in done)))
            return result | {"flow": measured_flows(done)}

        yield from _telling(measured)


TASKS = {"run": _run, "verify": _verify, "profile": _profile}


def _request(sizes: Mapping[str, Size], options: Options, on_card: bool, rounds: int = 0) -> Request:
    seconds = options.get("timeout") or RUN_SECONDS
    wanted = CardRequest(bool(options.get("force")), seconds, rounds=rounds) if on_card else None
    schedules = 1 if on_card else options.get("schedules") or 1
    line, overload = options.get("runLine"), options.get("overload")
    return Request(options.get("entry"), sizes, options.get("seed"), schedules, 0, wanted, line, overload)


def _recheck(document: Text, report: FileReport) -> Callable[[str], FileReport]:
    flags = report.given[0]
    return lambda arch: check_text(document.text, replace(flags, arch=arch), document.below, document.path)


def _card() -> AbstractContextManager[Parent]:
    if sys.platform == "win32":
        raise PlanError("the engine gpu runs on Linux; use the simulator")
    from croqc.engines.gpu.parent import card_parent

    return card_parent()


def _no_card(card: Parent | None) -> str:
    """Why the card cannot be used; empty where it can. Without a driver nothing is started to find that out."""
    if card is None or not has_driver():
        return NO_DRIVER
    found = card.card()
    return "" if isinstance(found, str) else found.line


def _heard(card: Parent | None, say: Say) -> Parent | None:
    """The way to the card, which says from now on what it does, and whom it waits for."""
    if card is not None:
        card.on_stage = lambda words: say(News(words))
        card.on_wait = lambda holder: say(News(f"waiting for the card, in use by {holder}"))
    return card


def _blocks(say: Say) -> Callable[[int, int], None]:
    """How many blocks the simulator is done with, not more often than one can read."""
    next_word = time.monotonic() + _EVERY

    def tell(done: int, total: int) -> None:
        nonlocal next_word
        if time.monotonic() >= next_word:
            next_word = time.monotonic() + _EVERY
            say(News("blocks", done, total))

    return tell


def _telling(work: Callable[[Say], object]) -> Iterator[News | Outcome]:
    """The result of some work, which goes on in a thread of its own meanwhile and says how far it is."""
    said: queue.SimpleQueue[News | Outcome | Exception] = queue.SimpleQueue()

    def run() -> None:
        try:
            said.put(Outcome(to_data(work(said.put))))
        except Exception as error:  # raised again where the messages are read
            said.put(error)

    threading.Thread(target=run, daemon=True).start()
    while True:
        message = said.get()
        if isinstance(message, Exception):
            raise message
        yield message
        if isinstance(message, Outcome):
            return
