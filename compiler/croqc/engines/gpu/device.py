"""One job on the card through CuPy: compile, upload, launch, time, bring back. Runs in the child; must not print."""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import struct
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from cuda.bindings import driver

from croqc.engines.gpu.ceiling import ceiling
from croqc.engines.gpu.compile import compiled
from croqc.engines.gpu.faults import INSUFFICIENT_DRIVER, Kind, crash_words, kind_of_os, kind_of_status
from croqc.engines.gpu.judging import Judged, Named, judge
from croqc.engines.gpu.launching import MapError, Start, arguments_of, loaded
from croqc.engines.gpu.probe_memory import ProbeMemory
from croqc.engines.gpu.protocol import PRINTED, RECORDED, Answer, Job, Launch, probes_file
from croqc.engines.gpu.resources import ResourceError, check_resources
from croqc.engines.nvrtc import CompileError, NoHeadersError
from croqc.runs.drawn import drawn, stored_type, widened

_MAPPED = 2  # cudaHostRegisterMapped
_WARM_UP = 2  # rounds before those that are timed
_MAX_PRINTED = 1 << 16
_CACHE_BYTES = 256 << 20  # more than any card's second-level cache
_LAUNCH_SECONDS = 2e-5  # that the host takes for a launch and an event, generously
_FILL_SECONDS = 3e-5  # in which no card fills so much memory

with suppress(ImportError, AttributeError):
    # CuPy builds CUB's templates for each kind of reduction at its first use, for seconds; its own kernels are built
    # in a fraction of that. Whole arrays are summed by CUB's library as before, which is there in machine code.
    from cupy._core import _accelerator

    _accelerator.set_reduction_accelerators([])

Stage = Callable[[str, str], None]
Bound = list[Start]


def run(job: Job, cache: Path | None, stage: Stage) -> Answer:
    """`stage` hears of each stage, and of the kernel that runs, before it begins.

    Never raises for what the program or the card does.
    """
    done = _Run(job, cache, stage)
    try:
        return done.all()
    except CompileError as error:
        return done.failed(Kind.COMPILER, str(error))
    except NoHeadersError as error:
        return done.failed(Kind.HEADERS, str(error))
    except ImportError as error:
        return done.failed(Kind.IMPORT, str(error))
    except cupy.cuda.memory.OutOfMemoryError:
        return done.failed(Kind.MEMORY, done.needed())
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        status = int(error.status)
        return done.failed(
            Kind.NO_DEVICE if _no_driver(status) else kind_of_status(status), crash_words(status) or str(error)
        )
    except MapError as error:
        return done.failed(Kind.REFUSED, str(error))
    except ResourceError as error:
        return done.failed(Kind.TOO_MANY_RESOURCES, str(error))
    except MemoryError:
        return done.failed(Kind.MEMORY, "the host has too little memory")
    except OSError as error:
        return done.failed(kind_of_os(error), str(error))
    except Exception as error:  # whatever a library raises concerns this job alone
        return done.failed(Kind.OTHER, f"{type(error).__name__}: {error}")


class _Run:
    def __init__(self, job: Job, cache: Path | None, stage: Stage) -> None:
        self.job, self.cache, self._stage = job, cache, stage
        self.folder = Path(job.folder)
        self.arrays: dict[str, Any] = {}
        self.reached, self.kernel = "device", ""
        self.since, self.phases = time.perf_counter(), dict[str, float]()
        self.notes: list[str] = []
        self.report: tuple[mmap.mmap, int, int] | None = None
        self.probes: dict[int, ProbeMemory] = {}

    def at(self, stage: str, kernel: str = "") -> None:
        now = time.perf_counter()
        self.phases[self.reached] = self.phases.get(self.reached, 0.0) + now - self.since
        self.since = now
        self.reached, self.kernel = stage, kernel
        self._stage(stage, kernel)

    def failed(self, kind: Kind, message: str) -> Answer:
        return Answer(self.reached, message, kind=kind.value, kernel=self.kernel, printed=self._printed())

    def all(self) -> Answer:
        self.at("device")
        cupy.cuda.runtime.free(0)  # makes the context, so that no other stage's clock pays for it
        card = cupy.cuda.runtime.getDeviceProperties(0)
        name = card["name"].decode()
        if not self.job.code:
            return self._measured(name) if self.job.ceiling else Answer("done", device=name)
        self.at("compile")
        made = compiled(self.job.code, self.job.arch, self.cache)
        self.at("load")
        module = loaded(made.cubin, self.folder)
        kernels = {launch.kernel: module.get_function(launch.kernel) for launch in self.job.launches}
        for launch in {each.kernel: each for each in self.job.launches}.values():  # one kernel may be started often
            self.kernel = launch.kernel
            check_resources(card, launch, int(kernels[launch.kernel].num_regs))
        self.kernel = ""
        registers = {name: int(kernel.num_regs) for name, kernel in kernels.items()}
        spilled = {name: int(kernel.local_size_bytes) for name, kernel in kernels.items()}
        times, judged = self._launched(kernels)
        if made.trouble:
            self.notes.append(made.trouble)
        printed = self._printed()
        self.at("done")
        return Answer(
            "done", "", made.seconds, made.cached, times, made.log, registers, spilled, name,
            notes=tuple(self.notes), printed=printed, judged=judged, phases=self.phases,
        )  # fmt: skip

    def needed(self) -> str:
        """What the arrays of the job take, and what the card has free."""
        total = sum(array.size for array in self.job.arrays)
        free, _ = cupy.cuda.runtime.memGetInfo()
        return f"the arrays take {total:,} bytes, {free:,} are free"

    def _launched(self, kernels: Mapping[str, Any]) -> tuple[tuple[float, ...], Judged | None]:
        """Runs the kernels once, judges their data or brings it back, and then times them."""
        self.at("upload")
        self._upload()
        self._map_report()
        self.probes = {number: ProbeMemory(one) for number, one in enumerate(self.job.launches) if one.probe_paths}
        bound = self._bound(kernels)
        start = time.perf_counter()
        for one in bound:
            self.at("run", one.launch.kernel)
            self._say(one.launch.says)
            one()
            cupy.cuda.runtime.deviceSynchronize()
        self._say(self.job.says)
        took = time.perf_counter() - start
        judged = self._judged()
        if judged is None:
            self.at("download")
            self._download()
        times = self._timed(self._bound(kernels, every=True) if self.probes else bound, took)
        self._record(bound)
        self._unmap_report()
        return times, judged

    def _measured(self, name: str) -> Answer:
        """What the card called `name` reaches at most."""
        self.at("measure")
        try:
            most = ceiling(self.cache, self.job.ceiling == "anew")
        except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
            return self.failed(Kind.OTHER, str(error))  # no crash of the program's, but the context may be lost
        except Exception as error:  # whatever a library raises
            note = f"what the card reaches could not be measured: {type(error).__name__}: {error}"
            return Answer("done", device=name, notes=(note,))
        self.at("done")
        return Answer("done", device=name, ceiling=most, phases=self.phases)

    def _record(self, bound: Bound) -> None:
        """Lets the blocks record that are asked for. Only the lanes of all rounds but the last are kept.

        Each round is told, and so has a clock of its own: eight of a slow kernel are no hang.
        """
        if not self.probes:
            return
        for _ in range(RECORDED):
            self.at("record", bound[-1].launch.kernel)
            for memory in self.probes.values():
                memory.clear()
            self._launch(bound)
            cupy.cuda.runtime.deviceSynchronize()
            for memory in self.probes.values():
                memory.keep()
        for number, memory in self.probes.items():
            memory.save(self.folder / probes_file(number))

    def _printed(self) -> str:
        """What the kernels printed; C keeps it in a buffer until told otherwise."""
        if not self.job.folder:
            return ""
        ctypes.CDLL(None).fflush(None)
        try:
            with (self.folder / PRINTED).open("rb") as file:
                return file.read(_MAX_PRINTED).decode(errors="replace")
        except OSError as error:
            self.notes.append(f"what the kernels printed is lost: {error.strerror or error}")
            return ""

    def _say(self, text: str) -> None:
        """What the host prints stands among what the kernels print, in order."""
        if text:
            ctypes.CDLL(None).fflush(None)
            os.write(1, text.encode())

    # --- memory -----------------------------------------------------------------------------------

    def _upload(self) -> None:
        for array in self.job.arrays:
            if array.drawn is not None and array.size:
                self.arrays[array.name] = drawn(array.drawn, cupy).reshape(-1).view(cupy.uint8)
                continue
            memory = cupy.zeros(max(array.size, 1), dtype=cupy.uint8)
            if array.given:
                memory.set(np.fromfile(self.folder / f"{array.name}.in", dtype=np.uint8))
            self.arrays[array.name] = memory

    def _judged(self) -> Judged | None:
        """What is to be said of the arrays; None where that is not asked for, or for the host to find out."""
        if self.job.judging is None:
            return None
        self.at("judge")
        draws = {array.name: array.drawn for array in self.job.arrays if array.drawn is not None}

        def after(item: Named) -> Any:
            stored = self.arrays[item.array].view(stored_type(item.elem)).reshape(item.shape)
            return widened(item.elem, stored, cupy)

        def before(item: Named) -> Any:
            draw = draws.get(item.array)
            return after(item) if draw is None else widened(item.elem, drawn(draw, cupy), cupy)

        try:
            return judge(self.job.judging, after, before, cupy)
        except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError):
            raise
        except Exception as error:  # too little memory, no BLAS, a cast: whatever it is, the host can do it
            self.notes.append(f"compared on the host: {type(error).__name__}: {error}")
        cupy.get_default_memory_pool().free_all_blocks()
        self.at("download")
        for name, draw in draws.items():
            cupy.asnumpy(drawn(draw, cupy)).tofile(self.folder / f"{name}.in")
        return None

    def _download(self) -> None:
        for array in self.job.arrays:
            cupy.asnumpy(self.arrays[array.name])[: array.size].tofile(self.folder / f"{array.name}.out")

    def _map_report(self) -> None:
        """The report's file becomes memory that the card writes to; what is in it outlives this process."""
        if not self.job.report:
            return
        with open(self.job.report, "r+b") as file:
            view = mmap.mmap(file.fileno(), 0)
        address = ctypes.addressof(ctypes.c_char.from_buffer(view))
        cupy.cuda.runtime.hostRegister(address, len(view), _MAPPED)
        self.report = view, address, _device_pointer(address)

    def _unmap_report(self) -> None:
        if self.report is not None:
            cupy.cuda.runtime.hostUnregister(self.report[1])

    # --- launches ---------------------------------------------------------------------------------

    def _bound(self, kernels: Mapping[str, Any], every: bool = False) -> Bound:
        """The launches with their arguments. `every`: where there are probes, all blocks record."""
        return [
            Start(kernels[launch.kernel], launch, self._arguments(number, launch, every))
            for number, launch in enumerate(self.job.launches)
        ]

    def _arguments(self, number: int, launch: Launch, every: bool) -> tuple[Any, ...]:
        pointers = {name: int(memory.data.ptr) for name, memory in self.arrays.items()}
        found = arguments_of(launch, pointers)
        if launch.report_blocks and self.report is not None:
            limit = int(self.job.wait_limit * 1e9)
            packed = struct.pack("<QQI4x", self.report[2], limit, launch.report_blocks)
            found = (*found, np.frombuffer(packed, dtype="V24").copy())
        probes = self.probes.get(number)
        return found if probes is None else (*found, probes.argument(every))

    def _launch(self, bound: Bound) -> None:
        for start in bound:
            start()

    def _timed(self, bound: Bound, took: float) -> tuple[float, ...]:
        """Seconds of each round, between two events of the card. `took`: seconds of the first run.

        The card is kept busy in front of them for as long as the host takes to ask for all rounds, so that launches
        follow each other without a gap however short they are. With cold caches each round is behind a fill.
        """
        if not self.job.repeat:
            return ()
        self.at("time", bound[-1].launch.kernel if bound else "")
        filler = self._filler()
        rounds = _WARM_UP + self.job.repeat
        affordable = min(rounds, int(self.job.time_budget / max(took, 1e-9)))
        if filler is not None and not self.job.cold:
            for _ in range(math.ceil(rounds * (len(bound) + 2) * _LAUNCH_SECONDS / _FILL_SECONDS)):
                filler.fill(0)
        for _ in range(min(_WARM_UP, affordable // 2)):
            self._launch(bound)
        found = []
        for _ in range(max(1, min(self.job.repeat, affordable - _WARM_UP))):
            if filler is not None and self.job.cold:
                filler.fill(0)
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            self._launch(bound)
            end.record()
            found.append((start, end))
        cupy.cuda.runtime.deviceSynchronize()
        return tuple(cupy.cuda.get_elapsed_time(start, end) / 1000 for start, end in found)

    def _filler(self) -> Any:
        """Memory to fill; None where the card has too little and it can be done without."""
        try:
            return cupy.empty(_CACHE_BYTES, dtype=cupy.uint8)
        except cupy.cuda.memory.OutOfMemoryError:
            if self.job.cold:
                raise
            return None


def _no_driver(status: int) -> bool:
    """CUDA calls a driver that is not there one that is too old; its version is then 0."""
    return status == INSUFFICIENT_DRIVER and int(cupy.cuda.runtime.driverGetVersion()) == 0


def _device_pointer(address: int) -> int:
    """Where the card sees registered memory of the host; the same address where addressing is unified."""
    status, pointer = driver.cuMemHostGetDevicePointer(address, 0)
    return int(pointer) if status == driver.CUresult.CUDA_SUCCESS else address
