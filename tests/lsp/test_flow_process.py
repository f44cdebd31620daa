"""The verdict process: newest version first, a crash costs one document one answer, it ends with the server."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
from functools import partial
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from croqc.service.settings import NO_SETTINGS
from croqc.text.record import replace
from croqls.ide.hover import hover
from croqls.ide.snapshot import Snapshot
from croqls.lsp import child, flow_process
from croqls.lsp.documents import key_of
from croqls.lsp.flow_process import FlowProcess, job_of
from croqls.lsp.requests.hover import text_document_hover
from croqls.lsp.serve import make_server
from croqls.workers.flow_orders import Answer, Job

KERNEL = "__co__ void f(global s32 [N] x) {\n  parallel p by N : thread\n    x.at(p) = 1;\n}\n"


def job(key: str, version: int) -> Job:
    return Job(key, version, KERNEL, key, NO_SETTINGS)


pytestmark = pytest.mark.timeout(900)  # seconds for some processes to start, each half a minute on a busy machine


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here is about how soon an answer comes, but where a test says so."""
    monkeypatch.setattr(flow_process, "_PATIENCE", 600.0)


class Answers:
    """Collects answers and lets a test wait for one."""

    def __init__(self) -> None:
        self.seen: list[Answer] = []

    async def of(self, key: str, version: int) -> Answer:
        while True:
            for answer in self.seen:
                if (answer.key, answer.version) == (key, version):
                    return answer
            await asyncio.sleep(0.02)


@pytest.fixture
def answers() -> Answers:
    return Answers()


def started(answers: Answers) -> FlowProcess:
    process = FlowProcess()
    process.on_answer = answers.seen.append
    return process


async def test_an_answer_comes_for_the_version_that_was_asked_for(answers: Answers) -> None:
    process = started(answers)
    process.submit(job("a.co", 7))
    answer = await answers.of("a.co", 7)
    assert (answer.found, answer.failed) == ((), "")
    process.stop()


async def test_of_versions_that_wait_only_the_newest_is_analysed(answers: Answers) -> None:
    process = started(answers)
    for version in range(1, 6):
        process.submit(job("a.co", version))
    await answers.of("a.co", 5)
    assert [answer.version for answer in answers.seen] == [1, 5]
    process.stop()


async def test_a_closed_document_is_forgotten(answers: Answers) -> None:
    process = started(answers)
    process.submit(job("a.co", 1))
    process.submit(job("b.co", 1))
    process.forget("b.co")
    process.submit(job("c.co", 1))
    await answers.of("c.co", 1)
    assert {answer.key for answer in answers.seen} == {"a.co", "c.co"}
    process.stop()


async def test_a_crash_costs_one_answer_and_an_edit_brings_the_document_back(answers: Answers) -> None:
    process = started(answers)
    process.submit(job("a.co", 1))
    assert process._child is not None
    process._child.process.kill()
    process.submit(job("b.co", 1))
    assert (await answers.of("a.co", 1)).failed == "the credit-flow process died"
    assert (await answers.of("b.co", 1)).failed == ""
    process.submit(job("a.co", 2))
    assert (await answers.of("a.co", 2)).failed == ""
    process.stop()


async def test_an_answer_of_what_the_number_meant_before_is_dropped(answers: Answers) -> None:
    """A document closed and opened again, a number sent twice: the list of one text is not shown at another."""
    process = started(answers)
    process.submit(job("a.co", 1))
    process.forget("a.co")
    process.submit(replace(job("a.co", 1), text=KERNEL.replace("x.at(p) = 1", "x.at(p) = 2")))
    process.submit(job("b.co", 1))
    process.submit(replace(job("b.co", 1), text=KERNEL + "\n"))
    process.submit(job("c.co", 1))
    process.forget("c.co")
    await answers.of("a.co", 1)
    await answers.of("b.co", 1)
    assert [answer.key for answer in answers.seen] == ["b.co", "a.co"]
    process.stop()


async def test_a_process_that_cannot_be_started_is_told_for_every_order(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the system's reason, or by the name of a Python that is gone; when it can be started again it is."""
    process = started(answers)
    with monkeypatch.context() as broken:
        broken.setattr(child, "get_executable", lambda: "/nowhere/python")
        process.submit(job("a.co", 1))
        reply = await process.ask(Snapshot("file:///c.co", 1, KERNEL), 0, partial(hover, offset=0))
    gone = "no verdicts on credit flow: /nowhere/python is gone; start the server anew with a Python that is there"
    assert [answer.failed for answer in answers.seen] == [gone]
    assert (reply.answer, reply.failed) == (None, gone)
    with monkeypatch.context() as broken:
        broken.setattr(child, "get_context", no_process)
        process.submit(job("a.co", 2))
    assert answers.seen[1].failed.endswith("the system starts no process (Cannot allocate memory); try again")
    process.submit(job("a.co", 3))
    assert (await answers.of("a.co", 3)).failed == ""
    process.stop()


def no_process(_: str) -> None:
    raise OSError(errno.ENOMEM, "Cannot allocate memory")


async def test_stopping_ends_the_process(answers: Answers) -> None:
    process = started(answers)
    process.submit(job("a.co", 1))
    await answers.of("a.co", 1)
    child = process._child
    assert child is not None
    process.stop()
    child.process.join(5)
    assert child.process.exitcode is not None


async def test_a_question_is_answered_before_verdicts_that_wait() -> None:
    order: list[object] = []
    process = FlowProcess()
    process.on_answer = lambda answer: order.append(answer.key)
    for key in ("file:///a.co", "file:///b.co"):
        process.submit(job(key, 1))
    place = KERNEL.index("x.at")
    reply = await process.ask(Snapshot("file:///c.co", 1, KERNEL), place, partial(hover, offset=place))
    assert reply.answer is not None
    assert "x: global s32 [N]" in reply.answer.markdown
    assert "file:///b.co" not in order  # the other was running when the question came
    process.stop()


async def test_a_question_of_a_process_that_dies_is_answered_with_the_reason() -> None:
    process = FlowProcess()
    asked = asyncio.create_task(process.ask(Snapshot("file:///c.co", 1, KERNEL), 0, partial(hover, offset=0)))
    await asyncio.sleep(0)
    assert process._child is not None
    process._child.process.kill()
    reply = await asked
    assert (reply.answer, reply.failed) == (None, "the credit-flow process died")
    process.stop()


def stop(process: FlowProcess) -> None:
    """As a person does, or a debugger."""
    assert process._child is not None
    assert process._child.process.pid is not None
    os.kill(process._child.process.pid, signal.SIGSTOP)


async def test_what_a_stopped_process_was_given_is_given_to_another_one(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often: it is no fault of the text."""
    monkeypatch.setattr(child, "_LOOK", 0.05)
    process = started(answers)
    for version in range(3):
        process.submit(job("a.co", version))
        stop(process)
        assert (await answers.of("a.co", version)).failed == ""
    asked = asyncio.create_task(process.ask(Snapshot("file:///c.co", 1, KERNEL), 0, judged))
    await asyncio.sleep(0)
    stop(process)
    reply = await asked
    assert (reply.answer, reply.failed) == (["f"], "")
    assert process._guard is None
    process.stop()


async def test_a_hover_whose_flow_is_late_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what is known without it."""
    monkeypatch.setattr(flow_process, "_PATIENCE", 0.05)
    server = make_server()
    monkeypatch.setattr(type(server), "client_capabilities", lsp.ClientCapabilities())
    text = Path("examples/pipeline_course.co").read_text(encoding="utf-8")
    server.documents.open("file:///c.co", 1, text)
    server.flow.submit(job("a.co", 1))
    stop(server.flow)
    before = text[: text.index("full[stage]")].split("\n")
    place = lsp.Position(len(before) - 1, len(before[-1]))
    params = lsp.HoverParams(lsp.TextDocumentIdentifier("file:///c.co"), place)
    shown = await text_document_hover(server, params)
    assert shown is not None
    assert isinstance(shown.contents, lsp.MarkupContent)
    assert "full: shared event[" in shown.contents.value
    assert "The credit flow is still being worked out; ask again in a moment." in shown.contents.value
    server.stop_processes()


async def test_a_text_that_kills_the_process_twice_is_not_given_to_it_again(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by questions nor for verdicts, at any version and offset; another text of the document is."""
    starts: list[int] = []
    start = FlowProcess._start

    def counted(process: FlowProcess) -> None:
        starts.append(len(starts))
        start(process)

    monkeypatch.setattr(FlowProcess, "_start", counted)
    process = started(answers)
    for turn in range(4):
        snapshot = Snapshot("file:///c.co", turn, KERNEL)
        asked = asyncio.create_task(process.ask(snapshot, turn, partial(hover, offset=turn)))
        await asyncio.sleep(0)
        if process._child is not None:
            process._child.process.kill()
        reply = await asked
        assert (reply.answer, reply.failed) == (None, "the credit-flow process died")
    assert len(starts) == 2
    process.submit(job_of(Snapshot("file:///c.co", 5, KERNEL)))
    assert [answer.failed for answer in answers.seen] == ["the credit-flow process died"]
    process.submit(job_of(Snapshot("file:///c.co", 6, KERNEL + "\n")))
    assert (await answers.of(key_of("file:///c.co"), 6)).failed == ""
    assert len(starts) == 3
    process.stop()


def judged(snapshot: Snapshot) -> list[str]:
    """The functions whose flow is known."""
    flows = snapshot.report.flows or {}
    return [function.name for function in snapshot.report.functions if function.analysis in flows]


def die(snapshot: Snapshot) -> object:
    """What a question must not lead to."""
    os._exit(1)


async def test_a_question_that_kills_the_process_takes_no_verdicts_of_other_texts(answers: Answers) -> None:
    """However often it is asked in the middle of them; its own text is given up at the second time."""
    process = started(answers)
    long = "".join(KERNEL.replace(" f(", f" f{number}(") for number in range(40))
    for turn in range(3):
        process.submit(replace(job("a.co", turn), text=f"{long}// {turn}\n"))
        reply = await process.ask(Snapshot("file:///b.co", 1, KERNEL), 0, die)
        assert (reply.answer, reply.failed) == (None, "the credit-flow process died")
        assert (await answers.of("a.co", turn)).failed == ""
    assert {key: count for key, (_, count) in process._deaths.items()} == {key_of("file:///b.co"): 2}
    process.stop()


async def test_a_death_at_a_job_takes_no_answer_of_a_question(answers: Answers) -> None:
    """It is asked again alone, and the job waits behind it."""
    process = started(answers)
    process.submit(job("a.co", 1))
    asked = asyncio.create_task(process.ask(Snapshot("file:///b.co", 1, KERNEL), 0, judged))
    await asyncio.sleep(0)
    assert (process._running, process._asking) != (None, None)
    assert process._child is not None
    process._child.process.kill()
    reply = await asked
    assert (reply.answer, reply.failed) == (["f"], "")
    assert process._deaths == {}
    assert (await answers.of("a.co", 1)).failed == ""
    process.stop()


async def test_a_request_that_cannot_be_sent_is_told_and_holds_up_no_other(answers: Answers) -> None:
    process = started(answers)
    snapshot = Snapshot("file:///c.co", 1, KERNEL)
    reply = await process.ask(snapshot, 0, lambda _: None)
    assert reply.answer is None
    assert reply.failed.startswith("the credit-flow process cannot be asked: ")
    assert (await process.ask(snapshot, 0, judged)).answer == ["f"]
    process.stop()
