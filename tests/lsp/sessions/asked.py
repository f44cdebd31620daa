"""The requests that a session draws: one row a method, parameters that fit. Must not know servers.

`tests/lsp/sessions/test_sessions.py` holds the rows against the table of requests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tests.lsp.positions import place_at
from tests.lsp.sessions.mutate import draw_offset

Params = dict[str, Any]
KINDS = ["quickfix", "refactor", "refactor.rewrite", "source", "source.fixAll", "source.fixAll.croqtile", "nonsense"]
NAMES = ("matmul", "add", "f", "half", "kernel", "", "matmull", "é")
DEFINES = (
    {},
    {"K": "64"},
    {"M": "128", "N": "128", "K": "128"},
    {"MATMUL_STAGES": "3"},
    {"x": None},
    {"K": "-1"},
    {"K": "zz"},
)
STAGES = ("build", "ast", "tokens", "model", "flow", "cuda", "buid", "")
NEW_NAMES = ("brand_new", "x", "p", "wait", "1x", "", "é", "croq_a", "N", "full")


class At:
    """What a request is drawn for: a document's address, its text, the units of columns."""

    def __init__(self, draw: Random, uri: str, text: str, encoding: str) -> None:
        self.draw, self.uri, self.text, self.encoding = draw, uri, text, encoding

    def document(self) -> Params:
        return {"textDocument": {"uri": self.uri}}

    def place(self) -> dict[str, int]:
        """Mostly in the text; now and then behind the end of the line or of the text."""
        if self.draw.random() < 0.05:
            return {"line": self.draw.choice((0, 3, 70, 10_000)), "character": self.draw.choice((0, 5, 200, 2**31 - 1))}
        return place_at(self.text, draw_offset(self.draw, self.text), self.encoding)

    def span(self) -> dict[str, Any]:
        """Also of no length, and now and then with its ends exchanged."""
        start = self.place()
        return {"start": start, "end": start if self.draw.random() < 0.4 else self.place()}


def _document(at: At) -> Params:
    return at.document()


def _place(at: At) -> Params:
    return at.document() | {"position": at.place()}


def _span(at: At) -> Params:
    return at.document() | {"range": at.span()}


def _completion(at: At) -> Params:
    context = at.draw.choice(
        (None, {"triggerKind": 1}, {"triggerKind": 2, "triggerCharacter": at.draw.choice(" :,=.[(<")})
    )
    return _place(at) | ({} if context is None else {"context": context})


def _action(at: At) -> Params:
    context: Params = {"diagnostics": [], "triggerKind": at.draw.choice((1, 2))}
    if at.draw.random() < 0.4:
        context["only"] = at.draw.sample(KINDS, at.draw.randrange(1, 3))
    return _span(at) | {"context": context}


def _common(at: At) -> Params:
    found = at.document()
    if at.draw.random() < 0.25:
        found["entry"] = at.draw.choice(NAMES)
        if at.draw.random() < 0.3:
            found["overload"] = at.draw.choice((0, 1, -1))
    if at.draw.random() < 0.25:
        found["defines"] = at.draw.choice(DEFINES)
    if at.draw.random() < 0.15:
        found["workDoneToken"] = f"token {at.draw.randrange(10**9)}"
    return found


def _generated(at: At) -> Params:
    """Mostly without the compiler, which takes half a second."""
    return _common(at) | {"form": at.draw.choices(("cuda", "full", "ptx", "sass"), (20, 10, 1, 1))[0]}


def _run(at: At) -> Params:
    more: Params = {"engine": "sim", "timeout": 5.0}
    if at.draw.random() < 0.3:
        more["schedules"] = at.draw.choice((1, 2))
    if at.draw.random() < 0.1:
        more["overload"] = at.draw.choice((0, 1))
    return _common(at) | more


def _command(at: At) -> Params:
    """Each command of the server in its forms, but for a verification, which would take a card where there is one."""
    name = at.draw.choices(list(COMMANDS), list(COMMANDS.values()))[0]
    arguments: list[Any] = at.draw.choice(
        ([at.uri], [at.uri, None], [at.uri, "add"], [{"uri": at.uri}], [], [3], [None])
    )
    if name == "croqtile.run":
        arguments = [at.uri, {"engine": "sim", "timeout": 5.0}]
    if name == "croqtile.explain":
        arguments = [at.draw.choice(("stage-race", "deadlock", "early-publis", "", "F01", "é"))]
    if name == "croqtile.migrate" and at.draw.random() < 0.5:
        arguments = [at.uri, {"to": at.draw.choice(("current", "course", "older"))}]
    return {"command": name, "arguments": arguments}


# The commands with how often they come.
COMMANDS: Mapping[str, float] = {
    "croqtile.run": 1,
    "croqtile.runCancel": 2,
    "croqtile.showCuda": 4,
    "croqtile.showFlow": 4,
    "croqtile.showSharedMemory": 4,
    "croqtile.migrate": 4,
    "croqtile.showRun": 1,
    "croqtile.explain": 3,
    "croqtile.doctor": 0.2,
    "croqtile.fly": 1,
}

Row = tuple[float, Callable[[At], Params]]
ASKED: Mapping[str, Row] = {
    "textDocument/hover": (8, _place),
    "textDocument/completion": (8, _completion),
    "textDocument/signatureHelp": (5, _place),
    "textDocument/documentSymbol": (3, _document),
    "textDocument/codeAction": (6, _action),
    "textDocument/semanticTokens/full": (4, _document),
    "textDocument/semanticTokens/full/delta": (
        3,
        lambda at: at.document() | {"previousResultId": at.draw.choice(("1", "x", ""))},
    ),
    "textDocument/semanticTokens/range": (2, _span),
    "textDocument/foldingRange": (2, _document),
    "textDocument/selectionRange": (
        2,
        lambda at: at.document() | {"positions": [at.place() for _ in range(at.draw.randrange(4))]},
    ),
    "textDocument/documentLink": (2, _document),
    "workspace/symbol": (2, lambda at: {"query": at.draw.choice(("", "f", "matmul", "é", "x" * 300))}),
    "textDocument/formatting": (3, lambda at: at.document() | {"options": {"tabSize": 2, "insertSpaces": True}}),
    "textDocument/rangeFormatting": (2, lambda at: _span(at) | {"options": {"tabSize": 2, "insertSpaces": True}}),
    "textDocument/definition": (4, _place),
    "textDocument/declaration": (2, _place),
    "textDocument/typeDefinition": (2, _place),
    "textDocument/references": (3, lambda at: _place(at) | {"context": {"includeDeclaration": at.draw.random() < 0.5}}),
    "textDocument/documentHighlight": (4, _place),
    "textDocument/prepareRename": (3, _place),
    "textDocument/rename": (4, lambda at: _place(at) | {"newName": at.draw.choice(NEW_NAMES)}),
    "textDocument/prepareCallHierarchy": (3, _place),
    "textDocument/inlayHint": (4, _span),
    "textDocument/codeLens": (4, _document),
    "workspace/executeCommand": (3, _command),
    "croqtile/flow": (3, _common),
    "croqtile/flowAt": (3, _place),
    "croqtile/generated": (2, _generated),
    "croqtile/sharedMemory": (3, _common),
    "croqtile/ir": (2, lambda at: at.document() | {"after": at.draw.choice(STAGES)}),
    "croqtile/expansion": (3, _place),
    "croqtile/flowPage": (1, lambda at: _common(at) | {"nonce": at.draw.choice(("a" * 16, "a", ""))}),
    "croqtile/document": (2, _document),
    "croqtile/tests": (1, lambda at: at.draw.choice((at.document(), {}))),
    "croqtile/doctor": (0.1, lambda _: {}),
    "croqtile/run": (1, _run),
    "croqtile/runCancel": (1, lambda at: at.draw.choice(({}, {"id": 1}, {"id": 10**6}))),
    "croqtile/runs": (1, _common),
    "no/such": (0.5, _document),
}

# What is asked about the first item of an answer: the request behind the one that it follows, parameters from the item.
FOLLOWED: Mapping[str, tuple[tuple[str, Callable[[Any], Any]], ...]] = {
    "textDocument/completion": (("completionItem/resolve", lambda item: item),),
    "textDocument/codeAction": (("codeAction/resolve", lambda item: item),),
    "textDocument/prepareCallHierarchy": (
        ("callHierarchy/incomingCalls", lambda item: {"item": item}),
        ("callHierarchy/outgoingCalls", lambda item: {"item": item}),
    ),
}
