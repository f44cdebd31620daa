"""The shape of a target's table. The rows stand in one file a target; must not hold logic about kernels."""

from __future__ import annotations

from enum import Enum, StrEnum

from croqc.text.record import record


class Feature(Enum):
    """What a target has. A set, never an order: sm_100a has no wgmma (nvcc rejects it there)."""

    CP_ASYNC = "cp.async"
    MBARRIER = "mbarrier"
    MBARRIER_TX = "mbarrier transaction bytes"
    TMA = "TMA"
    CLUSTER = "cluster"
    WGMMA = "wgmma"
    TCGEN05 = "tcgen05"
    MMA_SYNC = "mma.sync"
    WMMA = "wmma"
    SETMAXNREG = "setmaxnreg"
    DEPENDENT_LAUNCH = "programmatic dependent launch"
    FP8 = "fp8 multiply"
    NARROW = "narrow floats"  # f6, f4 and scale formats


class Instruction(StrEnum):
    """The families of multiply instructions (6.3)."""

    WGMMA = "wgmma"
    TCGEN05 = "tcgen05"
    MMA_SYNC = "mma.sync"
    WMMA = "wmma"

    @property
    def feature(self) -> Feature:
        """What a target must have to issue it."""
        return Feature(self.value)

    @property
    def is_async(self) -> bool:
        """Whether it runs beside the threads that issue it: its groups are ended and waited for, and it reads shared
        memory through descriptors and the async proxy. The others are a warp's own instructions."""
        return self in (Instruction.WGMMA, Instruction.TCGEN05)


@record
class MmaRow:
    """One family of multiply shapes: `n` lists the legal N; types are canonical element names.

    `unit` is "group" (a warp) or "group-4" (a warpgroup). `major_free`: 16-bit rows that also take
    operands not K-major (6.2). `split`: a 64-row multiply of the warpgroup that this target issues as
    `instruction` on its four warps (6.3).
    """

    instruction: Instruction
    unit: str
    types: tuple[tuple[str, str], ...]
    acc: tuple[str, ...]
    m: int
    n: tuple[int, ...]
    k: tuple[int, ...]
    sparse: bool = False
    major_free: bool = False
    split: bool = False


@record
class Target:
    """An architecture. Limits in bytes: `shared_limit` is what one block may ask for."""

    name: str
    features: frozenset[Feature]
    shared_limit: int
    shared_align: int
    local_limit: int
    mma: tuple[MmaRow, ...]

    def has(self, feature: Feature) -> bool:
        return feature in self.features
