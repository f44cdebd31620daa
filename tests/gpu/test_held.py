"""Parts whose processes run without a parent of their own: while they do, nobody else has the card."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from croqc.engines.gpu.lock import CardLock, Holder, LockTimeoutError, holder_of
from croqc.engines.gpu.parent import Parent
from tests.engines.children import parent
from tests.gpu import held as lock
from tests.gpu import mutants as listed
from tests.gpu.cases import given
from tests.gpu.parts import click, mutants, overlaps, repeats, sanitizer

FEW = listed.Kinds(listed.listed().stuck[:1], listed.listed().racy[:1])
Part = Callable[[Parent], Any]


def watched(monkeypatch: pytest.MonkeyPatch, path: Path, module: Any, name: str, answer: Any) -> list[Holder]:
    """What the lock says of its holder whenever a function that starts processes is called."""
    seen: list[Holder] = []

    def started(*args: Any, **more: Any) -> Any:
        with pytest.raises(LockTimeoutError), CardLock(path, timeout=0):
            pass
        seen.append(holder_of(path))
        return answer

    monkeypatch.setattr(module, name, started)
    return seen


CLICKED = {"verdict": "verified", "phases": {}, **dict.fromkeys(("check", "nvrtc", "host", "total"), 0.0)}
REPEATED = {"different": 1, "trouble": ""}
FOUND = sanitizer.Found("", "", 0, 0, "")


@pytest.mark.parametrize(
    ("module", "part", "starts", "answer", "what"),
    [
        (mutants, mutants.stuck, "_stuck", {}, "stuck mutants"),
        (mutants, mutants.racy, "_racy", {}, "racy mutants"),
        (repeats, repeats.repeats, "answered", [REPEATED], "repeats"),
        (overlaps, overlaps.overlaps, "answer_of", {}, "overlapping launches"),
        (sanitizer, sanitizer.sanitizer, "examined", FOUND, "compute-sanitizer"),
        (click, click.click, "clicked", CLICKED, "clicks"),
    ],
    ids=["stuck", "racy", "repeats", "overlaps", "sanitizer", "click"],
)
def test_the_card_is_held_meanwhile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: Any, part: Part, starts: str, answer: Any, what: str
) -> None:
    path = tmp_path / "gpu-0.lock"
    monkeypatch.setattr(mutants, "listed", lambda: FEW)
    monkeypatch.setattr(mutants, "FILES", ())
    monkeypatch.setattr(repeats, "given", lambda: given()[:1])
    monkeypatch.setattr(sanitizer, "given", lambda: given()[:1])
    monkeypatch.setattr(sanitizer, "program", lambda: "true")
    monkeypatch.setattr(sanitizer, "run", lambda *args: None)
    seen = watched(monkeypatch, path, module, starts, answer)
    with parent("good", lock=path) as card:
        part(card)
    assert {holder.what for holder in seen} == {f"croq: {what}"}
    with CardLock(path, timeout=0):  # and behind it the card is free
        pass


def test_a_parent_without_a_lock_holds_none() -> None:
    with parent("good") as card, lock.held(card, "nothing"):
        assert card.lock is None
