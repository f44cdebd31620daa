"""What the parent asks of the child and what it answers: plain data, a JSON object a line. Must not import CuPy.

Arrays do not travel in the lines: they are files of raw bytes in the job's folder, `NAME.in` and `NAME.out`; so are the
records of the probes of each launch (`probes_file`). Large arrays are drawn by the child and judged there, and do not
travel at all.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final

from croqc.engines.gpu.judging import Judged, Judging
from croqc.runs.drawn import Draw
from croqc.runs.report import Ceiling

PRINTED: Final = "printed"
RUN_SECONDS: Final = 10.0  # that kernels may run, unless asked otherwise
ROUNDS: Final = 20  # to time, unless asked otherwise
RECORDED: Final = 8
"""Rounds in which probes record: the records of the last are kept, the lanes of all, which tell the length of a cycle
more exactly."""


def probes_file(launch: int) -> str:
    """The name of the file that the probes of a launch leave, by its number."""
    return f"probes-{launch}"


@dataclass(frozen=True, slots=True)
class Array:
    """Memory of `size` bytes. `given`: NAME.in holds its contents; `drawn`: the child makes them; else it starts as
    zeros. It comes back, unless the job is judged where it is."""

    name: str
    size: int
    given: bool
    drawn: Draw | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """`kind` is "pointer" (`array`), "map" (`array` and the fields below) or a C type word (`value`).

    A map: `extents` and `box` in elements, innermost first, `strides` in bytes for all dimensions but the innermost,
    `elem` as the language spells it, `swizzle` in bytes (cuTensorMapEncodeTiled).
    """

    kind: str
    array: str = ""
    value: float | int = 0
    elem: str = ""
    extents: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    box: tuple[int, ...] = ()
    swizzle: int = 0


@dataclass(frozen=True, slots=True)
class Launch:
    """`report_blocks`: how many blocks have records of their own in the job's report; 0: the kernel takes none.
    `probe_paths`: how many paths of a block record times, 0 where the kernel has no probes; `probe_blocks`: the blocks
    that do. `says`: what the host prints in front of it. `dependent`: the kernel itself waits for the launches in front
    of it, and may begin while they end."""

    kernel: str
    grid: tuple[int, int, int]
    threads: int
    shared_bytes: int
    args: tuple[Argument, ...]
    report_blocks: int = 0
    probe_paths: int = 0
    probe_blocks: tuple[int, ...] = ()
    says: str = ""
    dependent: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """`repeat`: launches to time, 0 for none. A job without `code` asks for the card alone and needs no `folder`;
    what kernels print goes into the file `PRINTED` there.

    `report`: a file that both processes map, for the waits of kernels that report (codegen/include/croq/report.cuh);
    those give up after `wait_limit` seconds. `cold`: the card's caches are emptied before each timed round.
    `ceiling`: "" for none, "kept" for what is known of the card or else measured, "anew" to measure it; the parent
    makes it a job of its own, without code.
    `time_budget`: seconds that the timed rounds may take, which the parent lowers to what its clock gives; slow kernels
    get fewer, one at least.
    `judging`: what is to be said of the arrays instead of bringing them back; where that cannot be, all of them come
    back, those that were drawn as NAME.in, too. `says`: what the host prints behind the last launch. `number` comes
    back in every line that concerns the job.
    """

    folder: str
    code: str
    arch: str
    arrays: tuple[Array, ...] = ()
    launches: tuple[Launch, ...] = ()
    repeat: int = 0
    report: str = ""
    wait_limit: float = 0.0
    cold: bool = False
    ceiling: str = ""
    time_budget: float = 2.0
    judging: Judging | None = None
    says: str = ""
    number: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def of_json(data: dict[str, Any]) -> Job:
        """Raises TypeError or KeyError for what is no job."""
        arrays = tuple(_array(item) for item in data["arrays"])
        launches = tuple(_launch(item) for item in data["launches"])
        judging = None if data["judging"] is None else Judging.of_json(data["judging"])
        return Job(**{**data, "arrays": arrays, "launches": launches, "judging": judging})


def _array(data: dict[str, Any]) -> Array:
    drawn = data["drawn"]
    return Array(**{**data, "drawn": None if drawn is None else Draw(**{**drawn, "shape": tuple(drawn["shape"])})})


def _launch(data: dict[str, Any]) -> Launch:
    args = tuple(_argument(item) for item in data["args"])
    lists = {name: tuple(data[name]) for name in ("grid", "probe_blocks")}
    return Launch(**{**data, **lists, "args": args})


def _argument(data: dict[str, Any]) -> Argument:
    plain: dict[str, Any] = {name: tuple(item) if isinstance(item, list) else item for name, item in data.items()}
    return Argument(**plain)


@dataclass(frozen=True, slots=True)
class Answer:
    """`stage` says how far a job came: "device", "compile", "load", "upload", "run", "judge", "download", "time",
    "record", "done", in this order; without code "device", "measure", "done". `error` is empty for success.

    `kind` is then a value of `faults.Kind`, and `kernel` the one that ran, if one did. Seconds: `compile_time` (0 from
    the cache), `times` of the timed rounds, all kernels of the program in each. `log`: what the compiler said,
    `registers`, `spilled` bytes a thread by kernel. `notes`: what went less well than it might; `printed`: what the
    kernels printed. `ceiling`: of the card, where the job asks for it. `judged`: where the job asks for it
    and it could be done. `phases`: seconds that each stage took in the child, with the card's work that it waited for.
    """

    stage: str
    error: str = ""
    compile_time: float = 0.0
    cached: bool = False
    times: tuple[float, ...] = ()
    log: str = ""
    registers: dict[str, int] = field(default_factory=dict)
    spilled: dict[str, int] = field(default_factory=dict)
    device: str = ""
    kind: str = ""
    kernel: str = ""
    notes: tuple[str, ...] = ()
    printed: str = ""
    ceiling: Ceiling | None = None
    judged: Judged | None = None
    phases: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def of_json(data: dict[str, Any]) -> Answer:
        """Raises TypeError or KeyError for what is no answer."""
        if not isinstance(data.get("stage"), str) or not isinstance(data.get("error", ""), str):
            raise TypeError("an answer has a stage and an error, both texts")
        lists: dict[str, Any] = {name: tuple(data.get(name, ())) for name in ("times", "notes")}
        ceiling, judged = data.get("ceiling"), data.get("judged")
        lists["ceiling"] = None if ceiling is None else Ceiling(**ceiling)
        lists["judged"] = None if judged is None else Judged.of_json(judged)
        return Answer(**{**data, **lists})
