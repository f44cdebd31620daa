"""Plays a session against a server and judges it: what may never happen, whatever the client sends.

Each request is answered once, and not with an internal error; the server lives, and writes no traceback; no finding
is one of the tools' own failures; every progress ends; at the end the lists of the open documents are those of a check
from scratch, and stay so, and those of closed ones are empty.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from croqc.flow.analysis import TYPING_BUDGET
from croqc.service.check import check_text
from croqc.service.check_result import full_message
from croqc.service.flow_check import with_flow
from croqc.service.settings import Settings
from croqls.ide.macro_links import with_definitions
from croqls.lsp.documents import path_of
from tests.lsp.positions import place_at
from tests.lsp.sessions.asked import FOLLOWED
from tests.lsp.sessions.draw import Document, Session, State, Step
from tests.lsp.sessions.wire import GoneError, Wire

PATIENCE = 60.0  # seconds for a session, also of processor time where a busy machine gives it little
SEVERITIES = {"error": 1, "warning": 2, "information": 3, "hint": 4}
CANCELLED, MODIFIED, REFUSED, BAD, UNKNOWN = -32800, -32801, -32803, -32602, -32601
PUBLISH, DIAGNOSE = "textDocument/publishDiagnostics", "textDocument/diagnostic"
Found = list[tuple[Any, ...]]


class FaultError(Exception):
    """What may never happen; the text says what did."""


class LateError(FaultError):
    """What did not come in time."""


@dataclass
class Asked:
    """A request on its way."""

    method: str
    fits: bool = True
    cancelled: bool = False


@dataclass
class Heard:
    """What the server told so far in a session."""

    lists: dict[str, dict[str, Any]] = field(default_factory=dict)
    answers: dict[int, Any] = field(default_factory=dict)
    progress: Counter[Any] = field(default_factory=Counter)
    runs: set[int] = field(default_factory=set)
    ended: set[int] = field(default_factory=set)


def expected(document: Document, settings: Any, encoding: str) -> Found:
    """What a check of the text from scratch says, in the form of `told`."""
    below = Settings(settings.get("arch"), settings.get("dialect"), settings.get("defines") or {})
    path = str(path_of(document.uri) or document.uri)
    report = with_flow(check_text(document.text, below=below, path=path), TYPING_BUDGET, fixes=False)

    def span(at: Any) -> tuple[int, ...]:
        ends = (place_at(document.text, offset, encoding) for offset in (at.start, at.end))
        return tuple(number for end in ends for number in (end["line"], end["character"]))

    return sorted(
        (
            span(item.span),
            SEVERITIES[item.severity.value],
            item.code,
            full_message(item),
            tuple((other.message, span(other.span)) for other in item.related),
        )
        for item in with_definitions(report)
    )


def told(diagnostics: list[dict[str, Any]]) -> Found:
    """A list of LSP in comparable form, without the marks of runs."""

    def span(at: dict[str, Any]) -> tuple[int, ...]:
        return (at["start"]["line"], at["start"]["character"], at["end"]["line"], at["end"]["character"])

    return sorted(
        (
            span(item["range"]),
            item["severity"],
            item["code"],
            item["message"],
            tuple((one["message"], span(one["location"]["range"])) for one in item.get("relatedInformation") or ()),
        )
        for item in diagnostics
        if item.get("source") != "croqtile run"
    )


class Player:
    """Plays sessions, one after the other, in one server process."""

    def __init__(self, wire: Wire, patience: float = PATIENCE) -> None:
        self.wire, self.patience = wire, patience
        self.seen = 0  # bytes of the server's standard error
        self.counts: Counter[str] = Counter()

    def play(self, session: Session) -> None:
        """Raises FaultError."""
        self.heard, self.asked = Heard(), dict[int, Asked]()
        self.numbers: dict[int, int] = {}  # of the session's requests, on the wire
        self.state = State(self.wire.client.encoding)
        self.wanted: dict[str, Found] = {}  # the list of each document at the end
        self.end_of_time = time.monotonic() + self.patience
        self.spent = self.wire.spent()
        try:
            for step in session.steps:
                self.send(step)
            if session.seed % 4:  # else runs come to their own end
                self.request("croqtile/runCancel", {})
            self.settle()
            self.leave()
        except GoneError as error:
            raise FaultError(f"{error}\n{self.errors()}") from error
        self.counts["steps"] += len(session.steps)
        errors = self.errors()
        if "Traceback" in errors:
            raise FaultError(f"standard error: {errors}")

    def errors(self) -> str:
        self.seen, text = self.wire.said(self.seen)
        return text

    # --- sending -----------------------------------------------------------------------------------

    def send(self, step: Step) -> None:
        self.state.take(step)
        if step.kind == "notify":
            self.wire.notify(step.method, step.params)
        elif step.kind == "ask":
            self.ask(step)
        elif step.kind == "cancel":
            number = self.numbers[step.number]
            self.wire.notify("$/cancelRequest", {"id": number})
            if number in self.asked:
                self.asked[number].cancelled = True
        elif step.kind == "settings":
            self.change_settings(dict(step.params))
        else:
            self.until(lambda: not self.asked, "answers")
        while (message := self.wire.take(0)) is not None:
            self.hear(message)

    def ask(self, step: Step) -> None:
        params = step.params
        if step.after is not None:
            first = self.numbers[step.after]
            self.until(lambda: first not in self.asked, "an answer")
            found = self.heard.answers.get(first) or []
            items = found if isinstance(found, list) else found.get("items", [])
            if not items:
                return
            (params,) = (make(items[0]) for name, make in self.followed() if name == step.method)
        number = self.request(step.method, params, step.fits)
        self.numbers[step.number] = number

    @staticmethod
    def followed() -> list[tuple[str, Callable[[Any], Any]]]:
        return [row for rows in FOLLOWED.values() for row in rows]

    def request(self, method: str, params: Any, fits: bool = True) -> int:
        number = self.wire.ask(method, params)
        self.asked[number] = Asked(method, fits)
        self.counts[method] += 1
        return number

    def change_settings(self, settings: dict[str, Any]) -> None:
        """Pushed, or named as changed to a client that is asked for them then."""
        if self.wire.client.pull:
            settings["diagnostics"] = "pull"
        self.wire.settings = settings
        pushed = None if self.wire.client.configuration else {"croqtile": settings}
        self.wire.notify("workspace/didChangeConfiguration", {"settings": pushed})

    # --- hearing -----------------------------------------------------------------------------------

    def until(self, done: Callable[[], bool], what: str) -> None:
        while not done():
            message = self.wire.take(min(self.end_of_time - time.monotonic(), 0.5))
            if message is not None:
                self.hear(message)
            elif time.monotonic() > self.end_of_time:
                if self.is_only_late():
                    continue
                waiting = sorted({one.method for one in self.asked.values()})
                raise LateError(
                    f"no {what} within {self.patience:.0f} s; unanswered: {', '.join(waiting) or 'nothing'}"
                )

    def is_only_late(self) -> bool:
        """Whether the server has something to do still, and was given less processor time than it may take: then it
        waits for cores, of which others on the machine have more. It is looked at several times."""
        for _ in range(5):
            if self.wire.is_at_work() and self.wire.spent() - self.spent < self.patience:
                self.end_of_time = time.monotonic() + 1.0
                return True
            time.sleep(0.05)
        return False

    def hear(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params")
        if method is None:
            self.take_answer(message)
        elif method == PUBLISH:
            self.heard.lists[params["uri"]] = params
            self.look(params["diagnostics"])
        elif method == "$/progress":
            step = {"begin": 1, "report": 0, "end": -1}[params["value"]["kind"]]
            self.heard.progress[params["token"]] += step
        elif method == "croqtile/runResult":
            self.heard.ended.add(params["id"])
        elif method == "window/showMessage":
            text = params["message"]
            if text.startswith(("Error in server", "no verdict on")):
                raise FaultError(f"a message: {text}\n{self.errors()}")

    def take_answer(self, message: dict[str, Any]) -> None:
        asked = self.asked.pop(message["id"], None)
        if asked is None:
            raise FaultError(f"an answer that nobody waits for: {str(message)[:300]}")
        error = message.get("error")
        if error is None:
            self.heard.answers[message["id"]] = message["result"]
            if asked.method == "croqtile/run":
                self.heard.runs.add(message["result"]["id"])
            return
        allowed = {REFUSED, MODIFIED, *((CANCELLED,) if asked.cancelled else ()), *(() if asked.fits else (BAD,))}
        if asked.method in ("no/such", "workspace/executeCommand"):  # of commands one is drawn that there is not
            allowed |= {UNKNOWN, BAD}
        elif asked.method == "croqtile/flowPage":  # drawn with a nonce that is none
            allowed.add(BAD)
        if error["code"] not in allowed:
            raise FaultError(f"{asked.method} is answered with {error}\n{self.errors()}")

    def look(self, diagnostics: list[dict[str, Any]]) -> None:
        for item in diagnostics:
            if item.get("code") == "internal-error":
                raise FaultError(f"an internal error: {item['message']}")

    # --- the end -----------------------------------------------------------------------------------

    def settle(self) -> None:
        """Until everything is answered and every list is right."""
        self.until(lambda: not self.asked, "answers")
        for document in self.state.documents.values():
            wanted = expected(document, self.state.settings, self.wire.client.encoding)
            self.wanted[document.uri] = wanted
            matches = partial(self.pulled if self.wire.client.pull else self.pushed, document, wanted)
            try:
                self.until(matches, "right list")
            except LateError as error:
                raise FaultError(f"{error}\n{self.difference(document, wanted)}") from error

    def pushed(self, document: Document, wanted: Found) -> bool:
        known = self.heard.lists.get(document.uri)
        return known is not None and known.get("version") == document.version and told(known["diagnostics"]) == wanted

    def pulled(self, document: Document, wanted: Found) -> bool:
        number = self.request(DIAGNOSE, {"textDocument": {"uri": document.uri}})
        self.until(lambda: number not in self.asked, "an answer")
        found = self.heard.answers[number]["items"]
        self.look(found)
        self.heard.lists[document.uri] = {"version": document.version, "diagnostics": found}
        return told(found) == wanted or time.sleep(0.02) is not None

    def difference(self, document: Document, wanted: Found) -> str:
        known = self.heard.lists.get(document.uri) or {"diagnostics": []}
        got = told(known["diagnostics"])
        more = [one for one in got if one not in wanted]
        less = [one for one in wanted if one not in got]
        said = f"version {known.get('version')} of {document.version}, too many {more}, missing {less}"
        return f"{document.uri} {self.state.settings}: {said}\n---\n{document.text}\n---"

    def leave(self) -> None:
        """Ends runs, closes documents, goes back to the first settings; nothing may be left of the session then."""
        self.request("croqtile/runCancel", {})
        self.until(lambda: not self.asked and self.heard.runs <= self.heard.ended, "end of a run")
        documents = list(self.state.documents.values())
        if not self.wire.client.pull:
            for document in documents:  # nothing that came since has made a list wrong
                if not self.pushed(document, self.wanted[document.uri]):
                    raise FaultError(f"a right list was made wrong: {self.heard.lists.get(document.uri)}")
        for document in documents:
            self.wire.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})
        if self.state.settings:
            self.change_settings({})
        self.request("workspace/symbol", {"query": "nothing"})
        self.until(lambda: not self.asked, "answers")
        full = [] if self.wire.client.pull else [uri for uri, one in self.heard.lists.items() if one["diagnostics"]]
        if full:
            raise FaultError(f"closed, but its list is not empty: {full}")
        unended = [token for token, open_ in self.heard.progress.items() if open_]
        if unended:
            raise FaultError(f"progress without an end: {unended}")
