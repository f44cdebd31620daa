"""What the verdict process does with an order, in the process of the test: in which order it answers, nothing twice."""

from __future__ import annotations

from functools import partial
from multiprocessing import Pipe

import pytest

from croqc.flow.analysis import TYPING_BUDGET, analyze_flow
from croqc.sema.model import Model
from croqc.service import flow_check
from croqc.service.check import FileReport, check_text
from croqc.text.record import replace
from croqls.ide.hover import hover
from croqls.workers import flow as worker
from croqls.workers.flow_orders import Question
from tests.lsp.test_flow_process import KERNEL, job, judged
from tests.rules.breaking import fail, keep_going


def test_a_failure_says_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_going(monkeypatch)
    monkeypatch.setattr(worker.Desk, "_checked", fail)
    question = Question(1, job("a.co", 1), "file:///a.co", 0, partial(hover, offset=0))
    desk = worker.Desk(Pipe()[0])
    for failed in (desk.answer(job("a.co", 1)).failed, desk.reply(question).failed):
        assert failed.startswith("ZeroDivisionError at breaking.py:")
        assert failed.endswith(": division by zero")


def test_objects_are_looked_through_once_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the second of two answers, not between them."""
    here, there = Pipe()
    done: list[int] = []
    monkeypatch.setattr(worker, "begin", lambda: None)
    monkeypatch.setattr(worker, "collect_young", lambda: (done.append(sent()), here.close())[0])

    def sent() -> int:
        answers = []
        while here.poll():
            answers.append(here.recv().version)
        return len(answers)

    here.send(job("a", 1))
    here.send(job("a", 2))
    worker.serve(there)
    assert done == [2]


THREE = "".join(KERNEL.replace(" f(", f" {name}(") for name in "fgh")


def question(text: str, place: int) -> Question:
    return Question(1, replace(job("a.co", 1), text=text), "file:///a.co", place, judged)


def test_a_question_is_answered_between_the_functions_of_a_file() -> None:
    """With the flow of its own function alone."""
    here, there = Pipe()
    here.send(question(THREE, THREE.index(" g(")))
    worker.Desk(there).serve(replace(job("a.co", 1), text=THREE))
    reply, answer = here.recv(), here.recv()
    assert (reply.answer, reply.failed) == (["g"], "")
    assert (answer.version, answer.failed) == (1, "")


def test_no_flow_is_found_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for a question about a version, nor for its verdicts behind it."""
    found: list[str] = []

    def counted(model: Model, budget: int) -> object:
        found.append(model.function.name.id)
        return analyze_flow(model, budget)

    monkeypatch.setattr(flow_check, "analyze_flow", counted)
    _here, there = Pipe()
    desk = worker.Desk(there)
    desk.answer(replace(job("a.co", 1), text=THREE))
    assert found == ["f", "g", "h"]
    edited = THREE.replace("__co__ void g(global s32 [N] x) {", "__co__ void g(global s32 [N] x) { ")
    assert desk.reply(question(edited, edited.index(" h("))).answer == ["h"]
    assert found == ["f", "g", "h"]
    assert desk.reply(question(edited, edited.index(" g("))).answer == ["g"]
    desk.answer(replace(job("a.co", 2), text=edited))
    assert found == ["f", "g", "h", "g"]
    assert desk.reply(question(edited, 0)).answer == ["f", "g", "h"]


def test_no_other_fix_is_tried_for_a_question_or_for_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many functions of the file have one: neither answer shows it."""
    tried: list[str] = []

    def counted(text: str, *rest: object) -> FileReport:
        tried.append(text)
        return check_text(text, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("croqc.service.safe_trials.check_text", counted)
    text = THREE + KERNEL.replace(" f(", " wrong(").replace("x.at", "__syncthreads();\n    x.at")
    flow_check.with_flow(check_text(text), TYPING_BUDGET)
    assert tried  # so that there is something to try
    tried.clear()
    _here, there = Pipe()
    desk = worker.Desk(there)
    assert desk.reply(question(text, text.index(" g("))).answer == ["g"]
    assert desk.answer(replace(job("a.co", 1), text=text)).failed == ""
    assert tried == []
