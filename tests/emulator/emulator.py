"""A card that is emulated: takes the jobs that the engine gives its child, and answers as it does. Must not judge.

It stands where `engines.gpu.parent.Parent` would. A job is run under several orders of its threads, in a process each;
the arrays must come out the same, unless atomics of floats make them depend on the order.
"""

from __future__ import annotations

import re
import struct
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from croqc.engines.gpu.faults import Kind, Trouble
from croqc.engines.gpu.protocol import PRINTED, Answer, Argument, Job
from croqc.runs.elements import ELEMENTS
from tests.emulator.build import BuildError, built
from tests.emulator.instructions import NotModelledError
from tests.emulator.places import told
from tests.emulator.translate import translated

ORDERS: Final = (0, 1, 2, 3)  # in turn, backwards, shuffled, with warps that come late (machine/scheduler.h)
SECONDS: Final = 60.0  # that a run may take; a thread that waits for plain memory never ends
FAULT: Final = 86  # machine/faults.h
NOT_MODELLED: Final = "not modelled: "
_FLOAT_ATOMICS: Final = re.compile(r"\batomicAdd\(|\batomic_add_f16\(")


class Emulator:
    """`change` may alter the generated code before it is built."""

    def __init__(
        self, orders: Sequence[int] = ORDERS, change: Callable[[str], str] = lambda code: code, seconds: float = SECONDS
    ) -> None:
        self.orders, self.change, self.seconds = orders, change, seconds

    def card(self) -> str:
        return "the emulator"

    def run(self, job: Job, timeout: float = 0.0, cancelled: Callable[[], bool] = lambda: False) -> Answer | Trouble:
        """As `Parent.run`; `timeout` is for a card. A fault is a Trouble whose message has its words and place."""
        code = self.change(job.code)
        try:
            program = built(translated(code, job.arch))
        except NotModelledError as error:
            return Trouble(Kind.OTHER, f"{NOT_MODELLED}{error}")
        except BuildError as error:
            return Trouble(Kind.COMPILER, str(error))
        if any(array.drawn is not None for array in job.arrays):
            return Trouble(Kind.OTHER, "the emulator draws no data")
        folder = Path(job.folder)
        (folder / "job").write_text(job_text(job), encoding="utf-8")
        with tempfile.TemporaryDirectory(dir=folder) as other:
            for number, order in enumerate(self.orders):
                out = Path(other) if number else folder
                fault = self._one(program, code, folder, order, out)
                if fault:
                    return Trouble(Kind.OTHER, f"order {order}: {fault}")
                if number and not _FLOAT_ATOMICS.search(code) and (found := _differs(job, folder, out)):
                    return Trouble(Kind.OTHER, f"{found} differs between the orders {self.orders[0]} and {order}")
        printed = (folder / PRINTED).read_text(encoding="utf-8", errors="replace")
        return Answer("done", device=self.card(), printed=printed)

    def _one(self, program: Path, code: str, folder: Path, order: int, out: Path) -> str:
        """One run; what went wrong, or nothing."""
        with (out / PRINTED).open("wb") as printed:
            command = [str(program), str(folder), str(order), str(out)]
            try:
                done = subprocess.run(
                    command, stdout=printed, stderr=subprocess.PIPE, text=True, timeout=self.seconds, check=False
                )
            except subprocess.TimeoutExpired:
                return f"no end after {self.seconds:g} s"
        if done.returncode == FAULT:
            return told(done.stderr, program, code)
        return "" if done.returncode == 0 else f"the process ended with {done.returncode}: {done.stderr[:500]}"


def _differs(job: Job, one: Path, other: Path) -> str:
    """The first place where arrays of two runs differ."""
    for array in job.arrays:
        a, b = (np.fromfile(each / f"{array.name}.out", np.uint8) for each in (one, other))
        if not np.array_equal(a, b):
            return f"byte {int(np.argmax(a != b))} of '{array.name}'"
    return ""


def job_text(job: Job) -> str:
    """The job as `machine/job.cc` reads it."""
    lines = [f"array {array.name} {array.size} {int(array.given)}" for array in job.arrays]
    for launch in job.launches:
        grid = " ".join(map(str, launch.grid))
        said = _hex(launch.says.encode())
        lines.append(f"launch {launch.kernel} {grid} {launch.threads} {launch.shared_bytes} {len(launch.args)} x{said}")
        lines += [_argument(each) for each in launch.args]
    return "\n".join([*lines, f"end x{_hex(job.says.encode())}", ""])


def _hex(data: bytes) -> str:
    return data.hex()


def _argument(arg: Argument) -> str:
    if arg.kind == "pointer":
        return f"pointer {arg.array}"
    if arg.kind == "map":
        strides = (ELEMENTS[arg.elem].dtype.itemsize, *arg.strides)
        numbers = (len(arg.extents), arg.swizzle, *arg.extents, *arg.box, *strides)
        return f"map {arg.array} {' '.join(map(str, numbers))}"
    if arg.kind == "bool":
        return f"value {_hex(struct.pack('?', arg.value))}"
    return f"value {_hex(np.array(arg.value).astype(ELEMENTS[arg.kind].dtype).tobytes())}"
