"""What can go wrong between a program and a card, as data, and which it is. Must not start or import anything of CUDA.

Numbers are those of `cudaError_t`, which equal those of `CUresult` where both have a name (CUDA runtime API, 6.36).
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Kind(Enum):
    """The kinds of trouble. The first group ends a run of a program, the second concerns the machine; of
    OTHER nobody knows which."""

    CRASHED = "crashed"
    HANGS = "hangs"
    COMPILER = "compiler"
    REFUSED = "refused"
    MEMORY = "memory"
    TOO_MANY_RESOURCES = "resources"
    CANCELLED = "cancelled"

    IMPORT = "import"
    HEADERS = "headers"
    NO_DEVICE = "no-device"
    DRIVER = "driver"
    ARCH = "arch"
    DISK = "disk"
    FOLDER = "folder"
    GARBAGE = "garbage"
    DIED = "died"
    BUSY = "busy"

    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why there is no result. `message` is one sentence, `hint` the way out, `log` what a developer wants to see."""

    kind: Kind
    message: str
    hint: str = ""
    log: str = ""
    kernel: str = ""

    @property
    def line(self) -> str:
        """Message and way out."""
        return f"{self.message}; {self.hint}" if self.hint else self.message


DRIVER: Final = "580 or newer"  # what CUDA 13 needs
INSUFFICIENT_DRIVER: Final = 35  # cudaErrorInsufficientDriver
SIM: Final = "'--engine sim' runs it in the simulator"

REPORT_WITH_LOG: Final = "please report it with the log"

_CRASHES: Final = {
    700: "an access to an illegal address",
    702: "the driver's time limit for kernels",
    710: "a failed assertion",
    714: "a hardware stack error",
    715: "an illegal instruction",
    716: "a misaligned address",
    717: "an access to the wrong address space",
    718: "an invalid program counter",
    719: "a launch failure: the kernel trapped, or touched memory that it must not",
}
_KINDS: Final = {
    2: Kind.MEMORY,
    9: Kind.TOO_MANY_RESOURCES,  # cudaErrorInvalidConfiguration
    INSUFFICIENT_DRIVER: Kind.DRIVER,
    100: Kind.NO_DEVICE,
    101: Kind.NO_DEVICE,  # cudaErrorInvalidDevice
    209: Kind.ARCH,  # cudaErrorNoKernelImageForDevice
    222: Kind.DRIVER,  # cudaErrorUnsupportedPtxVersion
    701: Kind.TOO_MANY_RESOURCES,  # cudaErrorLaunchOutOfResources
    803: Kind.DRIVER,  # cudaErrorSystemDriverMismatch
    804: Kind.DRIVER,  # cudaErrorCompatNotSupportedOnDevice
    **dict.fromkeys(_CRASHES, Kind.CRASHED),
}


def kind_of_status(status: int) -> Kind:
    """The kind of a CUDA error number."""
    return _KINDS.get(status, Kind.OTHER)


def crash_words(status: int) -> str:
    """What a kernel did, for the numbers that a crash has; empty for others."""
    return _CRASHES.get(status, "")


def kind_of_os(error: OSError) -> Kind:
    """A full disk, or a folder that cannot be used. NumPy tells of a full disk without its number."""
    half_written = error.errno is None and str(error).endswith(" written")
    return Kind.DISK if error.errno in (errno.ENOSPC, errno.EDQUOT) or half_written else Kind.FOLDER


_TOLD: Final = {
    Kind.COMPILER: (
        "the generated code does not compile; this is a mistake of ours, not of the kernel",
        f"{REPORT_WITH_LOG}; {SIM}",
    ),
    Kind.HEADERS: (
        "the C++ of this file needs CUDA's headers",
        "install the Python package nvidia-cuda-runtime, or set CUDA_HOME to a toolkit",
    ),
    Kind.REFUSED: ("the driver refuses what the kernel asks for", SIM),
    Kind.MEMORY: (
        "the card has too little free memory for this run",
        "use smaller sizes, or end what else uses the card",
    ),
    Kind.TOO_MANY_RESOURCES: (
        "a block of this kernel needs more registers, threads or shared memory than the card has",
        "use fewer threads, smaller tiles or fewer stages",
    ),
    Kind.NO_DEVICE: ("there is no NVIDIA card here", SIM),
    Kind.DRIVER: (
        "the driver of the card is too old for this CUDA",
        f"install a newer NVIDIA driver (CUDA 13 needs {DRIVER}); 'croq doctor' shows what is there",
    ),
    Kind.ARCH: (
        "the card cannot run code of this architecture",
        "choose the card's own with --arch; 'croq doctor' names it",
    ),
    Kind.DISK: ("the disk is full", "make room in the folder of temporary files, or set TMPDIR to another one"),
    Kind.FOLDER: ("a folder that the run needs cannot be used", "set TMPDIR to a folder that can be written"),
    Kind.OTHER: ("the card reports an error", "'croq doctor' shows what is there"),
}


def trouble_of(kind: Kind, detail: str, kernel: str = "") -> Trouble:
    """The words of what a child answered. `detail` is the library's own text."""
    if kind is Kind.CRASHED:
        where = f"kernel '{kernel}' crashed on the card" if kernel else "the kernel crashed on the card"
        hint = "the simulator names the statement where an index leaves its buffer: '--engine sim'"
        return Trouble(kind, f"{where}: {detail}", hint, kernel=kernel)
    message, hint = _TOLD.get(kind, _TOLD[Kind.OTHER])
    if kind is Kind.COMPILER:
        return Trouble(kind, message, hint, detail, kernel)
    return Trouble(kind, f"{message}: {detail}" if detail else message, hint, kernel=kernel)
