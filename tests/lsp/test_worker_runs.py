"""Which engine a run takes, by what is asked for and what is there; no card is needed for it."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from croqc.engines.gpu.lock import CardLock
from croqc.service.settings import NO_SETTINGS
from croqls.ide.snapshot import Snapshot
from croqls.lsp.requests.run import run_options
from croqls.lsp.run_following import result_of
from croqls.lsp.runs import Run
from croqls.workers import runs
from croqls.workers.orders import News, Order, Outcome, Text
from croqls.workers.tasks import Desk, perform
from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.cli.test_protocol import validate
from tests.engines.children import parent

KERNEL = "// croq: expect y == x\n__co__ void f(global s32 [8] x, global s32 [8] y) {\n  dma.copy x => y;\n}\n"


def outcome(engine: str | None) -> Outcome:
    options = {} if engine is None else {"engine": engine}
    *_, last = perform(Desk(), Order("run", Text("k", KERNEL, "k.co", NO_SETTINGS), options))
    assert isinstance(last, Outcome)
    return last


@pytest.fixture
def unusable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver, and nothing that could use it."""
    monkeypatch.setattr(runs, "has_driver", lambda: True)
    monkeypatch.setattr(runs, "_card", lambda: nullcontext(None))
    monkeypatch.setattr(runs, "_no_card", lambda _: "CuPy is not installed")


@pytest.mark.parametrize("engine", [None, "sim"])
def test_the_simulator_does_where_the_card_cannot(unusable: None, engine: str | None) -> None:
    found = outcome(engine)
    assert [(one["engine"], one["verdict"]) for one in found.data["runs"]] == [("sim", "verified")]


def test_who_asks_for_the_card_is_told_why_not(unusable: None) -> None:
    assert outcome("gpu") == Outcome(refused="CuPy is not installed", no_card=True)


def test_without_a_driver_the_card_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "has_driver", lambda: False)
    monkeypatch.setattr(runs, "_card", lambda: pytest.fail("looked for"))
    assert outcome(None).data["runs"][0]["engine"] == "sim"


def test_a_run_on_the_card_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a child that adds without a card."""
    add = (Path(__file__).parents[2] / "examples" / "add.co").read_text(encoding="utf-8")
    monkeypatch.setattr(runs, "has_driver", lambda: True)
    monkeypatch.setattr(runs, "_card", lambda: parent("add"))
    monkeypatch.setattr(runs, "_no_card", lambda _: "")
    options = {"engine": "gpu", "defines": {"M": "3", "N": "5"}}
    *news, last = perform(Desk(), Order("run", Text("k", add, "k.co", NO_SETTINGS), options))
    said = [one.message for one in news if isinstance(one, News)]
    assert said[0] == "starting"
    order = ["compiling", "running", "measuring what the card reaches"]
    assert [words for words in said if words in order] == order
    assert isinstance(last, Outcome) and last.data is not None
    (one,) = last.data["runs"]
    assert (one["verdict"], one["engine"], one["timing"]["median"]) == ("verified", "gpu", 0.002)


def test_what_the_verdict_keeps_from_the_card_is_offered_and_run_by_force(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a child that hangs without a card."""
    monkeypatch.setattr(runs, "has_driver", lambda: True)
    monkeypatch.setattr(runs, "_card", lambda: parent("hangs"))
    monkeypatch.setattr(runs, "_no_card", lambda _: "")
    snapshot = Snapshot("file:///k.co", 1, PIPELINE.replace(BOOTSTRAP, ""))

    def ran(**options: object) -> tuple[str, str | None]:
        task, given = run_options({"engine": "gpu", "defines": {"K": "256"}, "timeout": 0.2, **options})
        order = Order(task, Text("k", snapshot.text, "k.co", NO_SETTINGS), given)
        *_, last = perform(Desk(), order)
        assert isinstance(last, Outcome) and last.data is not None
        told = result_of(Run(1, snapshot, order, "done", data=last.data))
        validate("runResult", told)
        validate("run", told["result"])
        return told["result"]["runs"][0]["verdict"], told["offer"]

    assert ran() == ("not-run", "force")
    assert ran(force=True) == ("hangs", None)


def test_who_has_the_card_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The run waits until the other one is over."""
    add = (Path(__file__).parents[2] / "examples" / "add.co").read_text(encoding="utf-8")
    monkeypatch.setattr(runs, "has_driver", lambda: True)
    monkeypatch.setattr(runs, "_card", lambda: parent("add", lock=tmp_path / "card.lock"))
    monkeypatch.setattr(runs, "_no_card", lambda _: "")
    other = CardLock(tmp_path / "card.lock", "another run")
    other.__enter__()
    found: list[News | Outcome] = []
    for one in perform(Desk(), Order("run", Text("k", add, "k.co", NO_SETTINGS), {"engine": "gpu"})):
        if not found:
            other.__exit__(None, None, None)
        found.append(one)
    assert found[0] == News(f"waiting for the card, in use by process {os.getpid()} (another run)")
    assert isinstance(found[-1], Outcome) and found[-1].data["runs"][0]["verdict"] == "verified"
