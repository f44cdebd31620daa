"""The parent of the child process: starts it, feeds it one job at a time, watches its clocks, kills it. Never raises
for what a child or a card does: answers and troubles are data. Must not know programs or compare results.

Starting and compiling have clocks of their own; `timeout` is for a kernel that runs. A child that misbehaves is killed,
and the next job gets a fresh one.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from croqc.engines.gpu.faults import SIM, Kind, Trouble, trouble_of
from croqc.engines.gpu.lock import CardLock, Holder, LockCancelledError, LockTimeoutError, lock_path
from croqc.engines.gpu.protocol import RUN_SECONDS, Answer, Job
from croqc.engines.installed import install

_POLL = 0.05  # seconds between two looks at a cancellation
_MAX_LOG = 1 << 14
_MAX_LINE = 1 << 24
_TIMED = (
    0.5  # of the time that kernels may run, for all timed rounds: they share a clock, and may be slower than the first
)
_RUNNING = ("run", "time", "record")


@dataclass(frozen=True, slots=True)
class Clocks:
    """Seconds that each stage may take, each time that the child begins it; the kernels of a program share one "run".
    `start`: imports and the card's context; `data`: each way between memories."""

    start: float = 120.0
    compile: float = 120.0
    data: float = 120.0

    def of(self, stage: str, run: float) -> float:
        if stage in _RUNNING:
            return run
        return {"compile": self.compile, "start": self.start, "device": self.start}.get(stage, self.data)


def child_command(cache: Path | None) -> list[str]:
    """The real child."""
    return [sys.executable, "-m", "croqc.engines.gpu.child", *([] if cache is None else [str(cache)])]


def kernel_cache() -> Path:
    """Where compiled kernels are kept: the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "croqtile" / "kernels"


class _BrokenError(Exception):
    """The conversation with the child is over."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.message)
        self.trouble = trouble


class Parent:
    """Keeps a child between jobs. Use it in a `with`: it leaves no process behind.

    `command` starts the child; `lock` is the card's lock file, None to take none; `lock_timeout`: seconds to wait for
    it, None for as long as it takes. `on_wait` hears who holds the card, `on_stage` what is being done, in words.
    """

    def __init__(
        self,
        command: Sequence[str] | None = None,
        clocks: Clocks = Clocks(),
        lock: Path | None = None,
        lock_timeout: float | None = None,
        on_wait: Callable[[Holder], None] = lambda holder: None,
        on_stage: Callable[[str], None] = lambda words: None,
    ) -> None:
        self.command = list(command) if command is not None else child_command(kernel_cache())
        self.clocks, self.lock, self.lock_timeout = clocks, lock, lock_timeout
        self.on_wait, self.on_stage = on_wait, on_stage
        self._child: _Child | None = None
        self._jobs = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def child_pid(self) -> int | None:
        """The running child's process, None without one."""
        return self._child.process.pid if self._child else None

    def close(self) -> None:
        """Ends the child."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def card(self) -> str | Trouble:
        """The name of the card, or why there is none. Takes no lock: nothing runs on it."""
        answer = self._locked(Job("", "", ""), RUN_SECONDS, lambda: False)
        return answer if isinstance(answer, Trouble) else answer.device

    def run(
        self, job: Job, timeout: float = RUN_SECONDS, cancelled: Callable[[], bool] = lambda: False
    ) -> Answer | Trouble:
        """One job, while the card's lock is held. `timeout`: seconds that its kernels may run."""
        if self.lock is None:
            return self._whole(job, timeout, cancelled)
        what = f"croq: {', '.join(launch.kernel for launch in job.launches)}"
        try:
            with CardLock(self.lock, what, self.lock_timeout, cancelled, self.on_wait):
                return self._whole(job, timeout, cancelled)
        except LockTimeoutError as error:
            return Trouble(Kind.BUSY, str(error), "wait for it, or end it")
        except LockCancelledError:
            return _cancelled()
        except OSError as error:
            reason = f"the card's lock cannot be taken: {self.lock}: {error.strerror or error}"
            return Trouble(Kind.FOLDER, reason, "set XDG_RUNTIME_DIR to a folder that can be written")

    def _whole(self, job: Job, timeout: float, cancelled: Callable[[], bool]) -> Answer | Trouble:
        """The job, and behind its timed rounds what the card reaches: a job of its own, for which no run fails."""
        done = self._locked(replace(job, ceiling=""), timeout, cancelled)
        if isinstance(done, Trouble) or not (done.times and job.ceiling):
            return done
        most = self._locked(Job("", "", "", ceiling=job.ceiling), timeout, cancelled)
        if isinstance(most, Answer):
            phases = done.phases | {"measure": most.phases.get("measure", 0.0)}
            return replace(done, ceiling=most.ceiling, notes=(*done.notes, *most.notes), phases=phases)
        if most.kind is Kind.CANCELLED:
            return most
        note = f"what the card reaches could not be measured: {most.message}"
        return replace(done, notes=(*done.notes, note))

    def _locked(self, job: Job, timeout: float, cancelled: Callable[[], bool]) -> Answer | Trouble:
        self._jobs += 1
        try:
            if self._child is None:
                self.on_stage(_DOING["start"])
                self._child = _Child(self.command)
                self._child.ready(self.clocks.start, cancelled)
            asked = replace(job, number=self._jobs, time_budget=min(job.time_budget, _TIMED * timeout))
            answer = self._child.ask(asked, self.clocks, timeout, cancelled, self.on_stage)
        except _BrokenError as broken:
            self.close()
            return broken.trouble
        except OSError as error:
            self.close()
            return Trouble(Kind.DIED, f"the process for the card cannot be started: {error.strerror or error}", SIM)
        except BaseException:
            self.close()
            raise
        if not (answer.error or answer.kind):
            return answer
        self.close()  # a context that met an error is lost, and starting anew is sure
        kind = next((kind for kind in Kind if kind.value == answer.kind), Kind.OTHER)
        if kind is Kind.IMPORT:
            return _import_trouble("", answer.error)
        return trouble_of(kind, answer.error, answer.kernel)


class _Child:
    """A running child and the conversation with it."""

    def __init__(self, command: Sequence[str]) -> None:
        self.log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the child)
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.log,
                start_new_session=True,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
            )
        except BaseException:
            self.log.close()
            raise
        assert self.process.stdout is not None
        self._lines = bytearray()
        assert self.process.stdin is not None
        for stream in (self.process.stdin, self.process.stdout):
            os.set_blocking(stream.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.process.stdout, selectors.EVENT_READ)

    def kill(self) -> None:
        """Ends the child with everything that it started, and waits until it is gone."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._selector.close()
        for stream in (self.process.stdin, self.process.stdout, self.log):
            with suppress(OSError):  # what was still to be written to a dead child
                if stream is not None:
                    stream.close()

    def ready(self, seconds: float, cancelled: Callable[[], bool]) -> None:
        """Until the child has imported what it needs."""
        said = self._next(time.monotonic() + seconds, cancelled, "start", "")
        if said.get("stage") == "import":
            raise _BrokenError(_import_trouble(str(said.get("missing", "")), str(said.get("error", "")), self._log()))
        if said.get("stage") != "ready":
            raise _BrokenError(self._garbage(json.dumps(said)))

    def ask(
        self,
        job: Job,
        clocks: Clocks,
        run: float,
        cancelled: Callable[[], bool],
        on_stage: Callable[[str], None],
    ) -> Answer:
        """The answer to a job. Raises _BrokenError where there will be none."""
        stage, kernel = "start", ""
        deadline = time.monotonic() + clocks.of(stage, run)
        try:
            self._send(json.dumps(job.to_json()).encode() + b"\n", deadline, cancelled)
        except BrokenPipeError:
            raise _BrokenError(self._died(stage, kernel)) from None
        while True:
            said = self._next(deadline, cancelled, stage, kernel)
            if said.get("job") != job.number:
                raise _BrokenError(self._garbage(json.dumps(said)))
            if "answer" in said:
                return self._answer(said["answer"])
            if not isinstance(said.get("stage"), str):
                raise _BrokenError(self._garbage(json.dumps(said)))
            stage, before, kernel = said["stage"], stage, str(said.get("kernel", ""))
            if stage in _DOING:
                on_stage(_DOING[stage])
            if not (stage == before == "run"):  # several kernels of one program share the clock
                deadline = time.monotonic() + clocks.of(stage, run)

    def _send(self, data: bytes, deadline: float, cancelled: Callable[[], bool]) -> None:
        """All of a job, which may be more than a pipe holds: a child that does not read must not stop the clock."""
        assert self.process.stdin is not None
        left, pipe = memoryview(data), self.process.stdin.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_WRITE)
            while left:
                if selector.select(self._patience(deadline, cancelled, "start", "")):
                    left = left[os.write(pipe, left) :]

    def _patience(self, deadline: float, cancelled: Callable[[], bool], stage: str, kernel: str) -> float:
        """The seconds until the next look at the clock and a cancellation."""
        if cancelled():
            raise _BrokenError(_cancelled())
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            raise _BrokenError(_late(stage, kernel, self._log()))
        return min(seconds, _POLL)

    def _answer(self, data: Any) -> Answer:
        try:
            return Answer.of_json(data)
        except (TypeError, AttributeError, KeyError):
            raise _BrokenError(self._garbage(json.dumps(data))) from None

    def _next(self, deadline: float, cancelled: Callable[[], bool], stage: str, kernel: str) -> dict[str, Any]:
        """The next object that the child says."""
        while b"\n" not in self._lines:
            if len(self._lines) > _MAX_LINE:
                raise _BrokenError(self._garbage(self._lines.decode(errors="replace")))
            if self._selector.select(self._patience(deadline, cancelled, stage, kernel)):
                self._read(stage, kernel)
        line, _, rest = self._lines.partition(b"\n")
        self._lines = bytearray(rest)
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise _BrokenError(self._garbage(line.decode(errors="replace")))
        return said

    def _read(self, stage: str, kernel: str) -> None:
        assert self.process.stdout is not None
        data = os.read(self.process.stdout.fileno(), 1 << 16)
        if not data:
            raise _BrokenError(self._died(stage, kernel))
        self._lines += data

    # --- troubles ---------------------------------------------------------------------------------

    def _log(self) -> str:
        """The end of what the child wrote to its standard error."""
        size = self.log.seek(0, os.SEEK_END)
        self.log.seek(max(0, size - _MAX_LOG))
        return self.log.read().decode(errors="replace").strip()

    def _garbage(self, text: str) -> Trouble:
        shown = text if len(text) <= 80 else text[:80] + "…"
        message = f"the process for the card said what is no answer: {shown!r}"
        return Trouble(Kind.GARBAGE, message, "run it again; 'croq doctor' checks the installation", self._log())

    def _died(self, stage: str, kernel: str) -> Trouble:
        try:
            status = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            status = 0
        how = f"with signal {-status}" if status < 0 else f"with status {status}"
        if -status in _FROM_OUTSIDE:
            what = f"while kernel '{kernel}' ran" if kernel else f"while it was to {_WORDS.get(stage, stage)}"
            message = f"the process for the card was killed {what} ({how.removeprefix('with ')})"
            return Trouble(Kind.DIED, message, "run it again; the host may be short of memory", self._log(), kernel)
        if stage in _RUNNING:
            where = f"kernel '{kernel}'" if kernel else "the kernel"
            return Trouble(Kind.CRASHED, f"{where} ended the process that ran it, {how}", SIM, self._log(), kernel)
        message = f"the process for the card ended {how} while it was to {_WORDS.get(stage, stage)}"
        return Trouble(Kind.DIED, message, "'croq doctor' checks the installation", self._log())


_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # no kernel ends a process so
_WORDS = {
    "start": "start",
    "device": "open the card",
    "compile": "compile the kernel",
    "load": "load the kernel",
    "upload": "upload the data",
    "judge": "compare the results",
    "download": "bring the results back",
    "measure": "measure what the card reaches",
}

_DOING = {
    "start": "starting",
    "device": "opening the card",
    "compile": "compiling",
    "load": "loading the kernel",
    "upload": "uploading the data",
    "run": "running",
    "time": "timing",
    "record": "recording",
    "judge": "comparing the results",
    "download": "fetching the results",
    "measure": "measuring what the card reaches",
}


def _late(stage: str, kernel: str, log: str) -> Trouble:
    """What a clock that ran out means in each stage."""
    if stage in _RUNNING:
        where = f"kernel '{kernel}'" if kernel else "the kernel"
        return Trouble(
            Kind.HANGS, f"{where} was still running when its time was up", "--timeout gives it more", log, kernel
        )
    words = _WORDS.get(stage, stage)
    kind = Kind.COMPILER if stage == "compile" else Kind.DIED
    return Trouble(kind, f"it took too long to {words}", "run it again; 'croq doctor' checks the installation", log)


def _cancelled() -> Trouble:
    return Trouble(Kind.CANCELLED, "the run was cancelled")


def _import_trouble(missing: str, error: str, log: str = "") -> Trouble:
    """What is not installed, and the command that installs it."""
    if missing:
        name = {"cupy": "CuPy", "cuda": "cuda-bindings"}.get(
            missing.partition(".")[0], f"the Python package '{missing}'"
        )
        return Trouble(Kind.IMPORT, f"{name} is not installed", f"{install('gpu')}; {SIM}", log)
    return Trouble(
        Kind.IMPORT,
        f"CuPy or cuda-bindings cannot be loaded: {error}",
        f"{install('gpu')}; 'croq doctor' shows more",
        log,
    )


def card_parent(lock_timeout: float | None = None, on_wait: Callable[[Holder], None] = lambda holder: None) -> Parent:
    """The parent of a real child, which takes the card's lock."""
    return Parent(lock=lock_path(), lock_timeout=lock_timeout, on_wait=on_wait)
