"""The parent against children that answer, are slow, crash, hang, talk nonsense or die."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from croqc.engines.gpu.faults import (
    _TOLD,
    Kind,
    Trouble,
    kind_of_os,
    kind_of_status,
    trouble_of,
)
from croqc.engines.gpu.parent import Clocks, Parent, child_command
from croqc.engines.gpu.protocol import Answer
from croqc.engines.installed import install
from tests.engines.children import JOB, LAUNCH, alive, parent

NOTICED_BY_THE_PARENT = {Kind.HANGS, Kind.CANCELLED, Kind.IMPORT, Kind.GARBAGE, Kind.DIED, Kind.BUSY}


def outcome(manner: str, *words: object, timeout: float = 10.0, clocks: Clocks | None = None) -> Answer | Trouble:
    options = {} if clocks is None else {"clocks": clocks}
    with parent(manner, *words, **options) as one:
        return one.run(JOB, timeout)


def trouble(manner: str, *words: object, timeout: float = 10.0, clocks: Clocks | None = None) -> Trouble:
    found = outcome(manner, *words, timeout=timeout, clocks=clocks)
    assert isinstance(found, Trouble)
    return found


def test_a_good_child_is_kept_for_the_next_job() -> None:
    with parent("good") as one:
        first = one.run(JOB)
        pid = one.child_pid
        second = one.run(JOB)
        assert isinstance(first, Answer) and isinstance(second, Answer)
        assert first.device == "Fake"
        assert one.child_pid == pid
    assert pid is not None and not alive(pid)
    assert one.child_pid is None


def test_the_card_is_named_without_a_job() -> None:
    with parent("hangs") as one:
        assert one.card() == "Fake"


@pytest.mark.parametrize(
    ("manner", "words", "kind", "said"),
    [
        ("aborts", (), Kind.CRASHED, "kernel 'scale' ended the process that ran it, with signal 6"),
        ("exits", (), Kind.CRASHED, "with status 3"),
        ("killed", (), Kind.DIED, "the process for the card was killed while kernel 'scale' ran (signal 9)"),
        ("dies", (), Kind.DIED, "ended with status 1 while it was to start"),
        ("garbage", (), Kind.GARBAGE, "'Segmentation fault'"),
        ("list", (), Kind.GARBAGE, "'[1]'"),
        ("endless", (), Kind.GARBAGE, "xxx…"),
        ("fields", (), Kind.GARBAGE, "colour"),
        ("other", (), Kind.GARBAGE, "said what is no answer"),
        ("early", (), Kind.GARBAGE, "said what is no answer"),
        ("import", ("cupy", "No module"), Kind.IMPORT, "CuPy is not installed"),
        ("import", ("cuda.bindings", "No module"), Kind.IMPORT, "cuda-bindings is not installed"),
        ("import", ("", "OSError: libnvrtc"), Kind.IMPORT, "cannot be loaded: OSError: libnvrtc"),
        ("fails", ("no-device", ""), Kind.NO_DEVICE, "there is no NVIDIA card here"),
        ("fails", ("driver", "x"), Kind.DRIVER, "too old for this CUDA"),
        ("fails", ("memory", "x"), Kind.MEMORY, "too little free memory"),
        ("fails", ("compiler", "line 3: no"), Kind.COMPILER, "a mistake of ours"),
        ("fails", ("disk", "x"), Kind.DISK, "the disk is full"),
        ("fails", ("crashed", "an access to an illegal address"), Kind.CRASHED, "kernel 'scale' crashed on the card"),
        ("fails", ("of tomorrow", "x"), Kind.OTHER, "the card reports an error: x"),
    ],
)
def test_each_trouble_is_named(manner: str, words: tuple[str, ...], kind: Kind, said: str) -> None:
    found = trouble(manner, *words)
    assert found.kind is kind
    assert said in found.message


def test_the_log_is_kept() -> None:
    assert trouble("aborts").log == "a last word"
    assert trouble("dies").log == "a traceback"
    assert trouble("fails", "compiler", "line 3: no").log == "line 3: no"


def test_what_is_missing_comes_with_the_command_that_installs_it() -> None:
    assert trouble("import", "cupy", "x").hint.startswith(install("gpu"))


@pytest.mark.parametrize(
    ("manner", "clocks", "timeout", "kind", "said"),
    [
        ("hangs", None, 0.2, Kind.HANGS, "kernel 'scale' was still running when its time was up"),
        ("compiles", Clocks(compile=0.2), 10.0, Kind.COMPILER, "too long to compile the kernel"),
        ("silent", Clocks(start=0.2), 10.0, Kind.DIED, "too long to start"),
    ],
)
def test_each_stage_has_its_clock(manner: str, clocks: Clocks | None, timeout: float, kind: Kind, said: str) -> None:
    with parent(manner, **({} if clocks is None else {"clocks": clocks})) as one:
        found = one.run(JOB, timeout)
        assert isinstance(found, Trouble)
        assert (found.kind, said in found.message) == (kind, True)
        assert one.child_pid is None


def test_a_new_child_serves_after_a_crash() -> None:
    with parent("aborts") as one:
        assert isinstance(one.run(JOB), Trouble)
        assert one.card() == "Fake"
        assert isinstance(one.run(JOB), Trouble)


def test_an_answer_too_many_is_not_taken_for_the_next_jobs() -> None:
    with parent("twice") as one:
        assert isinstance(one.run(JOB), Answer)
        found = one.run(JOB)
        assert isinstance(found, Trouble) and found.kind is Kind.GARBAGE


def test_what_the_child_started_dies_with_it(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    trouble("grandchild", note, timeout=1.0)
    pid = int(note.read_text())
    for _ in range(100):
        if not alive(pid):
            break
        time.sleep(0.05)
    assert not alive(pid)


def test_a_command_that_is_not_there_is_a_trouble() -> None:
    with Parent(["/nowhere/python"]) as one:
        found = one.run(JOB)
    assert isinstance(found, Trouble) and found.kind is Kind.DIED


def test_a_run_can_be_cancelled() -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    with parent("hangs") as one:
        found = one.run(JOB, 60.0, stop.is_set)
        assert one.child_pid is None
    assert isinstance(found, Trouble) and found.kind is Kind.CANCELLED


def test_a_child_that_does_not_read_stops_no_clock() -> None:
    """The job is more than a pipe holds."""
    large = replace(JOB, code=JOB.code + " " * 300_000)
    stop = threading.Event()
    with parent("deaf", clocks=Clocks(start=3.0)) as one:
        found = one.run(large)
        assert isinstance(found, Trouble) and "too long to start" in found.message
    threading.Timer(1.0, stop.set).start()
    with parent("deaf") as one:
        found = one.run(large, cancelled=stop.is_set)
        assert one.child_pid is None
    assert isinstance(found, Trouble) and found.kind is Kind.CANCELLED
    with parent("good") as one:
        assert isinstance(one.run(large), Answer)


def test_the_real_child_says_what_it_lacks(tmp_path: Path) -> None:
    """Without CuPy it cannot begin, and ends."""
    (tmp_path / "cupy.py").write_text("raise ModuleNotFoundError('no', name='cupy')\n", encoding="utf-8")
    start = f"import sys, runpy; sys.path.insert(0, {str(tmp_path)!r}); sys.argv = ['child']; "
    words = [child_command(None)[0], "-c", start + "runpy.run_module('croqc.engines.gpu.child', run_name='__main__')"]
    with Parent(words) as one:
        found = one.run(JOB)
    assert isinstance(found, Trouble)
    assert (found.kind, found.message) == (Kind.IMPORT, "CuPy is not installed")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (2, Kind.MEMORY),
        (35, Kind.DRIVER),
        (100, Kind.NO_DEVICE),
        (209, Kind.ARCH),
        (700, Kind.CRASHED),
        (719, Kind.CRASHED),
        (701, Kind.TOO_MANY_RESOURCES),
        (999, Kind.OTHER),
    ],
)
def test_numbers_of_the_runtime(status: int, kind: Kind) -> None:
    assert kind_of_status(status) is kind


def test_a_full_disk_and_a_closed_folder_differ() -> None:
    assert kind_of_os(OSError(28, "No space left on device")) is Kind.DISK
    assert kind_of_os(PermissionError(13, "Permission denied")) is Kind.FOLDER
    with pytest.raises(OSError, match="written") as told, open("/dev/full", "wb") as full:
        np.ones(1 << 16).tofile(full)
    assert kind_of_os(told.value) is Kind.DISK


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_words(kind: Kind) -> None:
    """Its own: from the table, or from where the trouble is noticed, and then it is not made of an answer."""
    told = {Kind.CRASHED: "the kernel crashed on the card: why"}.get(kind)
    if kind in _TOLD:
        message, hint = _TOLD[kind]
        told = message if kind is Kind.COMPILER else f"{message}: why"
        assert hint
    if told is None:
        assert kind in NOTICED_BY_THE_PARENT
    else:
        assert trouble_of(kind, "why").message == told
    words = [message for message, _ in _TOLD.values()]
    assert len(set(words)) == len(words)


def test_a_trouble_in_one_line() -> None:
    assert Trouble(Kind.BUSY, "in use", "wait").line == "in use; wait"
    assert Trouble(Kind.CANCELLED, "called off").line == "called off"


def test_several_kernels_share_the_clock() -> None:
    second = replace(LAUNCH, kernel="second")
    with parent("hangs") as one:
        found = one.run(replace(JOB, launches=(LAUNCH, second)), 0.3)
    assert isinstance(found, Trouble) and found.kernel == "second"
