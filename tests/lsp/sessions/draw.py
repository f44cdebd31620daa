"""Draws a session: which client it is, and what it sends, message by message. Must not know servers.

A session is known by its seed alone: the texts that edits make are followed here, so no answer is needed to draw on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.lsp.positions import edited, offset_at, place_at
from tests.lsp.sessions.asked import ASKED, FOLLOWED, At
from tests.lsp.sessions.mutate import draw_changes, draw_text

ENCODINGS = ("utf-16", "utf-16", "utf-8", "utf-32")
ADDRESSES = (
    "untitled:{n}.co",
    "file:///nowhere/a%20b%20(%C3%A9)%20%231/k{n}.co",
    "file:///c%3A/w/k{n}.co",
    "git:/w/k{n}.co?%7B%22ref%22%3A%22HEAD%22%7D",
    "croqtile-cuda:/k{n}.co",
    "file:///%00/k{n}.co",
    "file:///" + "x" * 300 + "/k{n}.co",
)
SETTINGS: tuple[Mapping[str, Any], ...] = (
    {},
    {"arch": "sm_90a"},
    {"arch": "sm_80"},
    {"dialect": "current"},
    {"defines": {"N": "16", "K": "64"}},
    {"inlayHints": {"types": False}},
    {"nonsense": True},
)
# Messages that no client should send; whatever comes of them, the text of the documents is as before.
BROKEN: tuple[tuple[str, Any], ...] = (
    ("textDocument/didChange", {"contentChanges": []}),
    (
        "textDocument/didChange",
        {"textDocument": {"uri": "untitled:never.co", "version": 1}, "contentChanges": [{"text": "x"}]},
    ),
    ("textDocument/didOpen", {"textDocument": {"uri": 3}}),
    ("textDocument/didClose", {"textDocument": {"uri": "untitled:never.co"}}),
    ("textDocument/didSave", {"textDocument": {"uri": "untitled:never.co"}}),
    ("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file:///nowhere/croq.toml", "type": 2}]}),
    (
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [{"uri": "file:///nowhere", "name": "n"}], "removed": []}},
    ),
    ("$/setTrace", {"value": "verbse"}),
    ("$/cancelRequest", {"id": 10**9}),
    ("$/cancelRequest", {}),
    ("window/workDoneProgress/cancel", {"token": "never"}),
    ("no/such", [1, 2]),
)
PARAMETERS: tuple[Any, ...] = (
    None,
    {},
    [],
    3,
    {"textDocument": 3},
    {"textDocument": {"uri": None}},
    {"position": {"line": -1}},
)


@dataclass(frozen=True)
class Client:
    """What a client can do, drawn for each server process."""

    encoding: str
    pull: bool
    configuration: bool
    progress: bool
    versioned: bool
    refuses: bool  # it answers the server's own requests with errors

    def capabilities(self) -> dict[str, Any]:
        return {
            "general": {"positionEncodings": [self.encoding]},
            "window": {"workDoneProgress": self.progress},
            "workspace": {
                "configuration": self.configuration,
                "workspaceEdit": {"documentChanges": self.versioned},
                "applyEdit": True,
                "didChangeWatchedFiles": {"dynamicRegistration": self.versioned},
                "diagnostics": {"refreshSupport": self.pull},
                "inlayHint": {"refreshSupport": self.progress},
            },
            "textDocument": {
                "completion": {"completionItem": {"snippetSupport": self.versioned}},
                "codeAction": {"dataSupport": self.versioned, "resolveSupport": {"properties": ["edit"]}},
            },
        }


@dataclass(frozen=True)
class Step:
    """A message, or ("wait") the client's waiting until everything is answered.

    `number` tells requests apart within the session, and is the one that is meant by "cancel". With `after` the
    parameters are made of the first item of that request's answer. `fits`: the parameters are such as LSP allows.
    """

    kind: str  # "notify", "ask", "cancel", "settings", "wait"
    method: str = ""
    params: Any = None
    number: int = 0
    after: int | None = None
    fits: bool = True


@dataclass(frozen=True)
class Document:
    """An open document as the client has it."""

    uri: str
    version: int
    text: str


@dataclass(frozen=True)
class Session:
    seed: int
    client: Client
    steps: tuple[Step, ...]


@dataclass
class State:
    """What the steps make of the client's documents and settings."""

    encoding: str
    documents: dict[str, Document] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def take(self, step: Step) -> None:
        if step.kind == "settings":
            self.settings = step.params
        if step.kind != "notify" or not step.fits:
            return
        document = step.params.get("textDocument") if isinstance(step.params, dict) else None
        if step.method == "textDocument/didOpen":
            self.documents[document["uri"]] = Document(document["uri"], document["version"], document["text"])
        elif step.method == "textDocument/didClose":
            self.documents.pop(document["uri"], None)
        elif step.method == "textDocument/didChange" and document["uri"] in self.documents:
            text = edited(self.documents[document["uri"]].text, step.params["contentChanges"], self.encoding)
            self.documents[document["uri"]] = Document(document["uri"], document["version"], text)


def draw_client(seed: int) -> Client:
    draw = Random(f"client {seed}")
    chance = [draw.random() for _ in range(5)]
    pull = chance[0] < 0.15
    return Client(draw.choice(ENCODINGS), pull, chance[1] < 0.3, chance[2] < 0.6, chance[3] < 0.6, chance[4] < 0.2)


def draw_session(seed: int, client: Client) -> Session:
    drawn = _Drawn(seed, client)
    return Session(seed, client, tuple(drawn.steps()))


class _Drawn:
    """Draws one step after the other, following the documents."""

    def __init__(self, seed: int, client: Client) -> None:
        self.draw = Random(f"session {seed}")
        self.seed, self.state = seed, State(client.encoding)
        self.first: dict[str, str] = {}  # the text that a document was opened with
        self.numbers = 0
        self.opened = 0

    def steps(self) -> Iterator[Step]:
        for _ in range(self.draw.choice((1, 1, 1, 2, 3))):
            yield self.taken(self.open())
        for _ in range(self.draw.choice((3, 6, 10, 16, 24))):
            for step in self.step():
                yield self.taken(step)

    def taken(self, step: Step) -> Step:
        self.state.take(step)
        return step

    def step(self) -> Iterator[Step]:
        chance = self.draw.random()
        if chance < 0.42:
            yield from self.edit()
        elif chance < 0.84:
            yield from self.ask()
        elif chance < 0.89:
            method, params = self.draw.choice(BROKEN)
            yield Step("notify", method, params, fits=False)
        elif chance < 0.91:
            yield Step("ask", self.draw.choice(list(ASKED)), self.draw.choice(PARAMETERS), self.number(), fits=False)
        elif chance < 0.93:
            yield Step("settings", params=self.draw.choice(SETTINGS))
        elif chance < 0.95:
            yield self.open()
        elif chance < 0.97 and self.state.documents:
            uri = self.draw.choice(list(self.state.documents))
            yield Step("notify", "textDocument/didClose", {"textDocument": {"uri": uri}})
        else:
            yield Step("wait")

    def number(self) -> int:
        self.numbers += 1
        return self.numbers

    def open(self) -> Step:
        """A new document, or now and then one that is open already."""
        known = list(self.state.documents)
        if known and self.draw.random() < 0.1:
            uri = self.draw.choice(known)
        else:
            self.opened += 1
            uri = self.draw.choice(ADDRESSES).format(n=f"{self.seed}-{self.opened}")
        self.first[uri] = text = draw_text(self.draw)
        document = {"uri": uri, "languageId": "croqtile", "version": 1, "text": text}
        return Step("notify", "textDocument/didOpen", {"textDocument": document})

    def edit(self) -> Iterator[Step]:
        """One `didChange`, or a word typed letter by letter."""
        if not self.state.documents:
            return
        document = self.state.documents[self.draw.choice(list(self.state.documents))]
        changes = draw_changes(self.draw, document.text, self.first[document.uri], self.state.encoding)
        last = changes[-1]
        typed = "range" in last and 1 < len(str(last["text"])) < 8 and self.draw.random() < 0.3
        letters = [str(last["text"])[: size + 1] for size in range(len(str(last["text"])))] if typed else [last["text"]]
        version = document.version + self.draw.choices((1, 3, 0), (20, 2, 1))[0]  # some clients repeat a version
        for count, letter in enumerate(letters):
            place = dict(last)
            if count:
                place["range"] = {
                    "start": last["range"]["start"],
                    "end": self.behind(document.uri, last, letters[count - 1]),
                }
            sent = [*(changes[:-1] if not count else []), place | {"text": letter}]
            named = {"uri": document.uri, "version": version + count}
            yield Step("notify", "textDocument/didChange", {"textDocument": named, "contentChanges": sent})

    def behind(self, uri: str, change: Mapping[str, Any], written: str) -> dict[str, int]:
        """The place behind what was typed so far."""
        text = self.state.documents[uri].text
        start = offset_at(text, change["range"]["start"], self.state.encoding)
        return place_at(text, start + len(written), self.state.encoding)

    def ask(self) -> Iterator[Step]:
        known = list(self.state.documents) or ["untitled:never.co"]
        uri = self.draw.choice(known) if self.draw.random() < 0.97 else "untitled:never.co"
        document = self.state.documents.get(uri)
        at = At(self.draw, uri, document.text if document else "", self.state.encoding)
        method = self.draw.choices(list(ASKED), [weight for weight, _ in ASKED.values()])[0]
        number = self.number()
        yield Step("ask", method, ASKED[method][1](at), number)
        if self.draw.random() < 0.15:
            yield Step("cancel", number=number)
        elif method in FOLLOWED and self.draw.random() < 0.6:
            for follow, _ in FOLLOWED[method]:
                yield Step("ask", follow, None, self.number(), after=number)
