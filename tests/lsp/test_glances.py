"""The verdict process answers questions about a long text that it is in the middle of reading."""

from __future__ import annotations

from multiprocessing import Pipe

import pytest

from croqc.service import check
from croqc.service.settings import NO_SETTINGS
from croqls.ide.snapshot import Snapshot
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
