"""What is answered about a long text in the middle of reading it, by the server and by the verdict process."""

from __future__ import annotations

import asyncio
import threading
from multiprocessing import Pipe
from typing import Any

import pytest
from lsprotocol import types as lsp

from croqc.service import check
from croqc.service.settings import NO_SETTINGS
from croqls.ide.snapshot import Snapshot
from croqls.lsp.documents import Documents
from croqls.lsp.reading import Reading
from croqls.workers import flow as worker
from croqls.workers.flow_orders import Job, Question

KERNEL = "__co__ void f(global s32 [N] x) {\n  parallel p by N : thread\n    x.at(p) = 1;\n}\n"


def test_a_question_about_a_new_text_is_answered_in_the_middle_of_reading_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its function alone is read then; all of a long text takes seconds."""
    here, there = Pipe()
    desk = worker.Desk(there)
    text = "#define S 2\n" + "".join(
        KERNEL.replace("void f(", f"void f{n}(").replace("{", "{ s_ = S + 0;", 1) for n in range(6)
    )
    desk.answer(Job("k.co", 1, text, "k.co", NO_SETTINGS))
    now = text.replace("S 2", "S 3")
    at = now.index("void f4(")
    here.send(Question(7, Job("k.co", 2, now, "k.co", NO_SETTINGS), "file:///k.co", at, value_at_once))
    analysed: list[object] = []
    analyze = check.analyze
    monkeypatch.setattr(check, "analyze", lambda *args: (analysed.append(args), analyze(*args))[1])
    answer = desk.answer(Job("k.co", 2, now, "k.co", NO_SETTINGS))
    reply = here.recv()
    assert (reply.number, reply.answer, reply.failed) == (7, [None, "3"], "")
    assert (answer.version, answer.failed, len(analysed)) == (2, "", 7)


def value_at_once(snapshot: Snapshot) -> list[str | None]:
    """What `S` stands for in a function whose flow was not asked for, if it has one, and in the fifth."""
    report = snapshot.report
    flows = report.flows or {}
    found = []
    for function in (report.functions[0], report.functions[4]):
        analysis = function.analysis
        assert analysis is not None
        value = next(str(value) for node, value in analysis.model.values.items() if getattr(node, "macro", None) == "S")
        found.append(value if analysis in flows else None)
    return found


class Held:
    """A document of two versions, of which the second is read no further than to its first function until `go_on`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go_on = threading.Event()
        self.documents = Documents()
        self.documents.open("file:///k.co", 1, LONG)
        self.newest.keep(self.newest.read())
        self.reading = Reading(self.documents)
        self.told: list[bool] = []
        self.reading.on_read = lambda _, glanced: self.told.append(glanced)
        self.documents.change(
            "file:///k.co", 2, [lsp.TextDocumentContentChangeWholeDocument(LONG.replace("S 2", "S 3"))]
        )
        read = Snapshot.read

        def held(snapshot: Snapshot, last: Any, between: Any) -> Any:
            self.go_on.wait(60)
            return read(snapshot, last, between)

        monkeypatch.setattr(Snapshot, "read", held)
        assert self.reading.begin(self.newest)

    @property
    def newest(self) -> Snapshot:
        found = self.documents.get("file:///k.co")
        assert found is not None
        return found

    async def asked(self, params: Any) -> None:
        """What a request waits for."""
        wait = self.reading.before(params)
        assert wait is not None
        await wait(lambda: None)

    async def ended(self) -> None:
        self.go_on.set()
        while self.reading.before(lsp.DocumentSymbolParams(DOCUMENT)) is not None:
            await asyncio.sleep(0.01)


DOCUMENT = lsp.TextDocumentIdentifier("file:///k.co")
LONG = "#define S 2\n" + "".join(KERNEL.replace("void f(", f"void f{n}(").replace("= 1", "= S") for n in range(900))


def stands_for(snapshot: Snapshot, number: int) -> str:
    """What `S` is in a function."""
    analysis = snapshot.report.functions[number].analysis
    assert analysis is not None
    return next(str(value) for node, value in analysis.model.values.items() if getattr(node, "macro", None) == "S")


async def test_a_request_waits_for_its_function_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    row = LONG[: LONG.index("void f600(")].count("\n")
    await held.asked(lsp.HoverParams(DOCUMENT, lsp.Position(row + 2, 10)))
    assert (held.newest.is_lent, held.newest.is_read, held.told) == (True, False, [])
    assert [stands_for(held.newest, number) for number in (0, 600)] == ["2", "3"]
    await held.asked(lsp.DocumentSymbolParams(DOCUMENT))
    await held.ended()
    assert (held.newest.is_lent, held.newest.is_read, held.told) == (False, True, [True])
    assert stands_for(held.newest, 0) == "3"


async def test_what_speaks_of_all_functions_waits_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    place = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))
    all_fixes = lsp.CodeActionContext([], only=[lsp.CodeActionKind.SourceFixAll])
    asked = [
        asyncio.create_task(held.asked(params))
        for params in (
            lsp.RenameParams(DOCUMENT, place.start, "T"),
            lsp.DocumentDiagnosticParams(DOCUMENT),
            lsp.CodeActionParams(DOCUMENT, place, all_fixes),
            lsp.CodeActionParams(DOCUMENT, lsp.Range(place.start, lsp.Position(9999, 0)), lsp.CodeActionContext([])),
        )
    ]
    await asyncio.wait(asked, timeout=0.3)
    assert not any(task.done() for task in asked)
    await held.ended()
    await asyncio.gather(*asked)
    assert (held.newest.is_read, held.told) == (True, [False])
